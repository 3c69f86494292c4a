#!/usr/bin/env python3
"""losses.py PGOKIT WALK: what is left out of the probes of a damaged program is told, in text and as JSON."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import inputs as made

PGOKIT, WALK = (os.path.abspath(path) for path in sys.argv[1:])


def run(*words):
    return subprocess.run([PGOKIT, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def damaged(program, folder):
    """Under the same name, with a zero in the name of a descriptor."""
    listed = subprocess.run(["llvm-readelf-22", "-SW", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    line = next(line for line in listed.splitlines() if " .pseudo_probe_desc " in line)
    offset = int(line.split("]")[1].split()[3], 16)
    image = bytearray(program.read_bytes())
    image[offset + 17] = 0
    folder.mkdir()
    path = folder / program.name
    path.write_bytes(image)
    return path


def main():
    if missing := made.missing_tools():
        print("SKIPPED: not installed:", *missing)
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        inputs = made.Inputs(folder, PGOKIT, WALK)
        program = damaged(inputs["probes"], folder / "damaged")
        said = "left out 1 descriptor without a usable name"
        profile, recording, output = inputs["of-probes"], inputs["probes-lbr-perfdata"], folder / "out"
        for words in (("generate", recording, "-o", output), ("match", profile, "-o", output), ("check", profile)):
            text, structured = run(*words, "-b", program), run(*words, "-b", program, "--json")
            whole = run(*words, "-b", inputs["probes"], "--json")
            good = said in text.stderr and any(said in one for one in json.loads(structured.stdout)["warnings"])
            good &= not any("damaged" in one for one in json.loads(whole.stdout)["warnings"])
            failed += not good
            print(f"{'ok' if good else 'FAILED'}: {words[0]}{'' if good else f': {text}'}")
        drop_in = run("llvm-profgen", "--perfscript", inputs["probes-lbr-script"], "--binary", program, "-o", output)
        failed += said not in drop_in.stderr
        print(f"{'ok' if said in drop_in.stderr else 'FAILED'}: llvm-profgen: {drop_in.stderr}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
