import stat
from pathlib import Path

from serving.admission import Admission
from serving.settings import ServerSettings


def test_archives_are_unpacked_where_only_the_servers_user_may_look(tmp_path: Path) -> None:
    settings = ServerSettings(models_dir=str(tmp_path))
    first, second = Admission(settings), Admission(settings)

    assert stat.S_IMODE(first.work_dir.stat().st_mode) == 0o700
    assert first.work_dir == first.work_dir
    assert first.work_dir != second.work_dir
    assert list(first.work_dir.iterdir()) == []
