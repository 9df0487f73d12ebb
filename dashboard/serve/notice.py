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
  body {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto;
    padding: 1.25rem; background: Canvas; color: CanvasText; }}
  main {{ border: 1px solid color-mix(in srgb, CanvasText 15%, Canvas); border-radius: 0.75rem;
    padding: 1.5rem 2rem 2rem; }}
  p.name {{ margin: 0; font-size: 0.9rem; opacity: 0.7; }}
  h1 {{ font-size: 1.4rem; margin: 0.25rem 0 1rem; }}
  ul {{ padding-left: 1.2rem; }} li {{ margin: 0.4rem 0; }}
  a {{ color: #0b6e69; color: light-dark(#0b6e69, #45b8ac); }}
  input, button {{ font: inherit; padding: 0.5rem 0.75rem; border-radius: 0.5rem;
    border: 1px solid color-mix(in srgb, CanvasText 30%, Canvas); }}
  input {{ display: block; width: 100%; box-sizing: border-box; margin: 0.3rem 0 0.8rem; }}
  button {{ background: #0b6e69; border-color: #0b6e69; color: #fff; }}
</style></head><body><main><p class="name">TripletScope</p><h1>{title}</h1>{body}</main>
</body></html>
"""


def notice(title: str, body: str, head: str = "") -> str:
    """A page; `title` is text, `body` and `head` are HTML."""
    return _PAGE.format(title=html.escape(title), body=body, head=head)
