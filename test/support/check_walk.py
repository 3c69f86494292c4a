#!/usr/bin/env python3
"""check_walk.py PGOKIT_WALK BINARY: the text of a walk is what perf prints of the same walk as a
recording, and a walk with the same seed has the same bytes. Skips (77) without perf."""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def frames_apart(text):
    """perf prints addresses of frames as offsets in their file; the rest has to be equal."""
    lines = text.splitlines()
    return [line for line in lines if not line.startswith("\t")], sum(l.startswith("\t") for l in lines)


def main():
    walk, binary = sys.argv[1:]
    if not shutil.which("perf"):
        print("skipped: perf is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind in ("lbr", "hybrid"):
            made = {}
            for name, form in (("script", "script"), ("again", "script"), ("data", "perfdata")):
                made[name] = folder / f"{kind}.{name}"
                subprocess.run([walk, binary, "-o", made[name], "--kind", kind, "--samples", "300",
                                "--format", form], check=True)
            printed = subprocess.run(["perf", "script", "--show-mmap-events", "-F", "ip,brstack", "-i",
                                      made["data"]], capture_output=True, text=True).stdout
            assert made["script"].read_bytes() == made["again"].read_bytes(), "not the same bytes"
            assert frames_apart(made["script"].read_text()) == frames_apart(printed), f"{kind}: not what perf prints"
    print("the walk's text is what perf prints of its recording")
    return 0


if __name__ == "__main__":
    sys.exit(main())
