"""The system calls of a running server, in the order in which the kernel began and ended them, as strace tells it."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TRACED = "fsync,fdatasync,openat,link,linkat,rename,renameat,renameat2,write,writev,sendto,sendmsg"
_LINE = re.compile(r"(?P<thread>\d+) +(?P<text>.*)")
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)")
_RESUMED = re.compile(r"<\.\.\. (?P<name>\w+) resumed>(?P<rest>.*)")
_UNFINISHED = " <unfinished ...>"


@dataclass
class SystemCall:
    """``begun`` and ``ended`` are places in the order of all begins and ends."""

    name: str
    text: str
    begun: int
    ended: int | None = None


def parse_trace(trace: str) -> list[SystemCall]:
    """The calls of a trace with thread ids, in the order in which they began."""
    calls: list[SystemCall] = []
    open_calls: dict[str, SystemCall] = {}
    for place, line in enumerate(trace.splitlines()):
        found = _LINE.match(line)
        if found is None:
            continue
        thread, text = found["thread"], found["text"]
        if (resumed := _RESUMED.match(text)) is not None:
            call = open_calls.pop(thread, None)
            if call is not None:
                call.text += resumed["rest"]
                call.ended = place
        elif (begun := _CALL.match(text)) is not None:
            call = SystemCall(begun["name"], begun["arguments"].removesuffix(_UNFINISHED), place)
            calls.append(call)
            if text.endswith(_UNFINISHED):
                open_calls[thread] = call
            else:
                call.ended = place
    return calls


@contextmanager
def traced(process_id: int, into: Path) -> Iterator[None]:
    """Traces every thread of a process to the file ``into``. Strace has to be installed: Debian's package."""
    program = shutil.which("strace")
    assert program is not None, "strace is not installed"
    command = [program, "-f", "-y", "-s", "200", "-e", f"trace={TRACED}", "-o", str(into), "-p", str(process_id)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr is not None
        said = tracer.stderr.readline()
        assert "attached" in said, f"strace cannot trace: {said}"
        try:
            yield
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.communicate(timeout=20)
