#!/usr/bin/env python3
"""readme.py ROOT FOLDER_OF_PGOKIT: README's example works when it is pasted, and links between pages lead somewhere."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from links import dead_links

NO_TRACING = 77
PAGES = ("*.md", "docs/**/*.md", "bench/*.md", "examples/**/*.md")


def run_example(root, programs, folder):
    example = re.search(r"^```sh\n(.*?)^```", (root / "README.md").read_text(), re.DOTALL | re.MULTILINE).group(1)
    (folder / "examples").symlink_to(root / "examples")
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
    return subprocess.run(["bash", "-euc", example], cwd=folder, env=environment, check=False).returncode


def main():
    root, programs = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    broken = list(dead_links(root, PAGES))
    print(*broken, sep="\n")
    if broken:
        return 1
    doctor = subprocess.run([f"{programs}/pgokit", "doctor", "--json"], capture_output=True, text=True, check=False)
    if '"software": true' not in doctor.stdout:
        print("SKIPPED: ptrace is not permitted here")
        return NO_TRACING
    with tempfile.TemporaryDirectory() as folder:
        return run_example(root, programs, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
