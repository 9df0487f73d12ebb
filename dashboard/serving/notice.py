"""Small pages outside the dashboard."""

from __future__ import annotations

import html

#: Header of responses that are for one person and one moment.
NEVER = {"Cache-Control": "no-store"}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">{head}
<title>TripletScope</title>
<style>
  :root {{ color-scheme: light dark; }}
  body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 15vh auto;
    padding: 1rem; }}
  h1 {{ font-size: 1.4rem; }}
  input, button {{ font: inherit; padding: 0.4rem 0.6rem; }}
  input {{ display: block; width: 100%; box-sizing: border-box; margin: 0.3rem 0 0.8rem; }}
</style></head><body><main><h1>{title}</h1>{body}</main></body></html>
"""


def notice(title: str, body: str, head: str = "") -> str:
    """A page; `title` is text, `body` and `head` are HTML."""
    return _PAGE.format(title=html.escape(title), body=body, head=head)
