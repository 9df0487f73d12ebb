#!/bin/sh
# Double-click: starts TripletScope, and opens it in the browser. The first time takes some minutes.
# Close the window to end it.
PATH="$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin:$PATH"
# In a copy of the repository it starts what is there, alone the last release.
here=$(cd "$(dirname "$0")/../.." && pwd)
what=tripletscope
[ -f "$here/packaging/backend.py" ] && what=$here
if command -v uv >/dev/null 2>&1; then
  exec uv tool run --from "$what" tripletscope
fi
place="$HOME/Library/Application Support/TripletScope program"
[ "$(uname)" = Darwin ] || place="${XDG_DATA_HOME:-$HOME/.local/share}/tripletscope-program"
if [ ! -x "$place/bin/tripletscope" ]; then
  python=$(command -v python3.13 || command -v python3.12 || command -v python3.11 || command -v python3)
  if [ -z "$python" ] || ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "Python 3.11 or newer is missing. Install it from https://www.python.org/downloads/"
    echo "and double-click again."
    printf 'Press Return to close. '; read -r _
    exit 1
  fi
  echo "Installing TripletScope. This takes some minutes, once."
  if ! { "$python" -m venv "$place" && "$place/bin/python" -m pip install --quiet "$what"; }; then
    rm -rf "$place"
    echo "That did not work; is there a connection to the internet?"
    printf 'Press Return to close. '; read -r _
    exit 1
  fi
fi
exec "$place/bin/tripletscope"
