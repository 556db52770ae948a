"""The process that runs one file: ``python -m tests.conformance.worker SPECIFICATION``.

A process per file, so that a crash or a hang of DuckDB is that file's failure and nothing else.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.conformance.exchange import Specification
from tests.conformance.execution import run_file


def main(specification: Path) -> None:
    """Write the outcome to the file that the specification names, and end the process."""
    spec = Specification.read(specification)
    os.chdir(spec.working_directory)
    outcome = run_file(spec)
    Path(spec.result_file).write_text(json.dumps(outcome.as_json()), encoding="utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a late destructor must not turn a verdict into a crash


if __name__ == "__main__":
    main(Path(sys.argv[1]))
