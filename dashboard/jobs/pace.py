"""How long a computation still takes, by its progress so far."""

from __future__ import annotations

#: Before any estimate: a share of the work, seconds, advances.
_SHARE, _SECONDS, _ADVANCES = 0.05, 2.0, 3
#: Work gets slower if the second half of the time took so much longer for as much as all of it;
#: and so many of the longest gaps between advances pass before it stands still.
_SLOWER, _PATIENCE = 1.5, 2.0
_MOST = 256  # advances that are remembered


class Pace:
    """Progress of a computation over time; `begun` in seconds, of any clock."""

    def __init__(self, begun: float) -> None:
        self._marks = [(begun, 0.0)]
        self._longest = 0.0

    def advance(self, now: float, fraction: float) -> None:
        then, before = self._marks[-1]
        if fraction <= before:
            return
        self._longest = max(self._longest, now - then)
        marks = [*self._marks, (now, fraction)]
        self._marks = marks if len(marks) <= _MOST else [marks[0], *marks[2:-1:2], marks[-1]]

    def seconds_left(self, now: float) -> float | None:
        """Seconds to the end; None in the beginning, while work slows down or stands still."""
        marks = self._marks
        begun, (last, done) = marks[0][0], marks[-1]
        if done < _SHARE or last - begun < _SECONDS or len(marks) <= _ADVANCES:
            return None
        middle = (begun + last) / 2
        then, before = max(mark for mark in marks[:-1] if mark[0] <= middle)
        recent, whole = (last - then) / (done - before), (last - begun) / done
        if recent > _SLOWER * whole or now - last > _PATIENCE * max(self._longest, 0.5):
            return None
        left = recent * (1.0 - done) - (now - last)
        return left if left > 0 else None
