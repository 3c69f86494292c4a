#!/usr/bin/env python3
"""What the recorder writes of the records that a kernel hands over gives the profile of the original recording.

    replayed.py PGOKIT REPLAY CORPUS FOLDER

REPLAY is replay.cc. The originals are recordings of processors with branch stacks; their records come out of rings of
three processors in portions of random size. The profiles are compared byte for byte.
"""
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
SEEDS = 3
RECORDINGS = [("google-autofdo/gzip_lbr/test.lbr", "google-autofdo/gzip_lbr/test.binary", ["text", "extbinary", "raw"]),
              ("google-autofdo/propeller_sample_1/propeller_sample_1.perfdata1",
               "google-autofdo/propeller_sample_1/propeller_sample_1.bin", ["raw"])]


def profile(pgokit, recording, program, form, output):
    made = subprocess.run([pgokit, "generate", "-q", recording, "-b", program, "--format", form, "-o", output],
                          stderr=subprocess.PIPE, text=True)
    if made.returncode != 0 or output.stat().st_size == 0:
        raise ValueError(f"no profile of {recording}: {made.stderr}")
    return output.read_bytes()


def compare(pgokit, replay, corpus, folder, names):
    recording, program, forms = corpus / names[0], corpus / names[1], names[2]
    for seed in range(1, SEEDS + 1):
        again = folder / "replayed.data"
        told = subprocess.run([replay, recording, again, str(seed)], stdout=subprocess.PIPE, text=True, check=True).stdout
        for form in forms:
            original = profile(pgokit, recording, program, form, folder / "original.prof")
            if profile(pgokit, again, program, form, folder / "replayed.prof") != original:
                raise ValueError(f"{recording.name}, seed {seed}: the {form} profile differs")
    print(f"{recording.name}: {told.strip()}; {', '.join(forms)} profiles are equal")


def main():
    pgokit, replay, corpus = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    if not corpus.exists():
        print(f"SKIPPED: the corpus is not here: {corpus}")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory(dir=sys.argv[4]) as folder:
        for names in RECORDINGS:
            try:
                compare(pgokit, replay, corpus, pathlib.Path(folder), names)
            except (ValueError, subprocess.CalledProcessError) as why:
                failed += 1
                print(why)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
