#!/bin/sh
# The program serves 127.0.0.1 alone. Inside of a container that is the container itself: what is
# published as port 8501 is handed on to it. Who may reach that port, `podman run -p` decides; write
# 127.0.0.1 there, and the key in the address that is printed keeps out everybody else.
set -eu
trap 'trap "" TERM; kill 0' TERM INT
socat TCP-LISTEN:8501,fork,reuseaddr TCP:127.0.0.1:8500 &
tripletscope --no-open --port 8500 --host localhost:8501 --host 127.0.0.1:8501 "$@" |
  sed -u 's/localhost:8500/localhost:8501/' &
wait $!
