"""Files that are whole or not there."""

from __future__ import annotations

import pytest

from tripletscope.dashboard.files.storage import whole_file


def test_a_file_is_the_one_before_until_the_next_is_whole(tmp_path):
    file = tmp_path / "about.json"
    file.write_bytes(b"before")

    def write_until_it_crashes() -> None:
        with whole_file(file) as target:
            target.write(bytes(2**20))
            target.flush()
            assert file.read_bytes() == b"before", "as after a crash at this moment"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_until_it_crashes()
    assert file.read_bytes() == b"before"
    assert [*tmp_path.iterdir()] == [file]
    with whole_file(file) as target:
        target.write(b"after")
    assert file.read_bytes() == b"after"
