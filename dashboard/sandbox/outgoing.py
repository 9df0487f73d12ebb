"""Files of users on their way to a browser, in which nothing of theirs runs.

An SVG is a document with scripts, a picture may be called evil.html, and both would come from the
address of the dashboard or of the experiment. Whatever serves such a file sends it by `held`.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import MutableHeaders

#: Types that browsers may show, by suffix: systems' tables differ, and browsers trust the header.
MEDIA = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
    ".webp": "image/webp", ".svg": "image/svg+xml", ".bmp": "image/bmp", ".avif": "image/avif",
    ".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".oga": "audio/ogg",
    ".opus": "audio/ogg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".flac": "audio/flac",
    ".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".ogv": "video/ogg",
    ".mov": "video/quicktime",
}
#: What a file that is shown alone may do: have colours and letters, and pictures inside it.
POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "media-src 'self'; font-src data:; frame-ancestors 'none'"
)
_SHOWN = {*MEDIA.values(), "audio/x-wav", "image/x-icon"}


def type_of(path: Path) -> str:
    """Of a file of a user; what is not in `MEDIA` is bytes."""
    return MEDIA.get(path.suffix.lower(), "application/octet-stream")


def held(headers: MutableHeaders) -> None:
    """Change the headers of a response with a file of a user so that nothing in it runs.

    What browsers may not show is saved.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _SHOWN and not headers.get("content-disposition", "").startswith("attachment"):
        headers["content-disposition"] = "attachment"
    headers["content-security-policy"] = POLICY
    headers["x-content-type-options"] = "nosniff"
