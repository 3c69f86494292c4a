#!/usr/bin/env python3
"""What `pgokit record --exact` counts is what callgrind counts: each instruction and branch of the program's own file.

    judged.py PGOKIT FOLDER RECORDED PROGRAM...

RECORDED is program.cc, each of whose MODES is judged; so are the other programs, which take no argument. Only the program's own
file is: libc takes other functions on the processor that valgrind imitates. Functions are bound at the start, because which of
several threads binds one first is chance. Not judged, because callgrind is wrong there: children by fork(), which it lets begin
with their parent's counts, and handlers that are left by siglongjmp() again and again, at which valgrind 3.19 gives up.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import callgrind
import survive

MODES = "sort threads sigtrap exceptions longjumps libraries goto copies calls".split()
ROUNDS = "2"


def judge(pgokit, folder, command):
    """What callgrind and the recorder say of the command."""
    environment = dict(os.environ, LD_BIND_NOW="1")
    # valgrind 3.19 gives up at the debug information of clang 22.
    bare = folder / pathlib.Path(command[0]).name
    subprocess.run(["objcopy", "--strip-debug", command[0], bare], check=True)
    command = [bare, *command[1:]]
    with tempfile.TemporaryDirectory(dir=folder) as dumps:
        told = survive.run(["valgrind", "-q", "--tool=callgrind", *callgrind.OPTIONS, f"--callgrind-out-file={dumps}/%p", *command],
                           300, env=environment)
        code = callgrind.Code(bare)
        by_callgrind = code.of_callgrind(pathlib.Path(dumps).iterdir())
    data = folder / "judged.data"
    recorded = survive.run([pgokit, "record", "--exact", "-q", "-o", data, "--", *command], 300, env=environment)
    if told[:2] != recorded[:2]:
        raise ValueError(f"printed {recorded[1]!r}, exit code {recorded[0]}; under valgrind {told[1]!r}, {told[0]}: {told[2]}")
    return code.compare(by_callgrind, code.of_recording(data))


def main():
    pgokit, folder, recorded, *others = sys.argv[1:]
    folder = pathlib.Path(folder) / "judged"
    folder.mkdir(exist_ok=True)
    if not survive.can_record(pgokit) or not all(map(shutil.which, ("valgrind", "objdump", "objcopy", "readelf"))):
        print("SKIPPED: ptrace is not permitted here, or there is no valgrind or binutils")
        return survive.NO_TRACING
    failed = 0
    for command in [[recorded, mode, ROUNDS] for mode in MODES] + [[one] for one in others]:
        name = " ".join([pathlib.Path(command[0]).name, *command[1:2]])
        try:
            judged = judge(pgokit, folder, command)
            failed += judged.different > 0 or judged.times == 0
            print(f"{name}: {judged.said()}", flush=True)
        except (ValueError, subprocess.CalledProcessError) as error:
            print(f"{name}: FAILED: {error}", flush=True)
            failed += 1
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
