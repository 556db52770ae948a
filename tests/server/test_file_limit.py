"""The limit on open files follows from the number of connections."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from rocklake_server.server.file_limit import OTHER_FILES

SCRIPT = """
import resource, sys
from rocklake_server.server.file_limit import allow_open_files
resource.setrlimit(resource.RLIMIT_NOFILE, (64, int(sys.argv[1])))
allow_open_files(int(sys.argv[2]))
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("hard", "connections", "soft", "warned"), [
    (900, 300, 300 + OTHER_FILES, False),
    (400, 300, 400, True),
])  # fmt: skip
def test_the_soft_limit_is_raised_as_far_as_it_may(hard: int, connections: int, soft: int, warned: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(hard), str(connections)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == soft
    assert ("raise the limit" in done.stderr) is warned
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 64
