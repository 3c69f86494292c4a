#!/usr/bin/env python3
"""A loop that became memset in the recorded program: the profile says that it ran, and clang makes of
the loop behind it, which has the same condition, what it makes of it without a profile.

    lost_loops.py PGOKIT FOLDER
"""
import pathlib
import shutil
import subprocess
import sys

SOURCE = r"""
#include <cstdlib>
__attribute__((noinline)) void sums(const float *matrix, int n, const float *vector, float *result) {
  int i, j, index;
  for (i = 0; i < n; i++)
    result[i] = 0;
  for (index = 0, i = 0; i < n; i++)
    for (j = i; j < n; j++, index++)
      result[j] += matrix[index] * vector[i];
}
int main(int argc, char **argv) {
  int n = 200, calls = std::atoi(argv[argc - 1]);
  auto *matrix = static_cast<float *>(std::calloc(n * (n + 1) / 2, 4));
  auto *vector = static_cast<float *>(std::calloc(n, 4)), *result = static_cast<float *>(std::calloc(n, 4));
  for (int i = 0; i < calls; i++) sums(matrix, n, vector, result);
  return result[0] != 0;
}
"""
FLAGS = ["-O2", "-g", "-fpseudo-probe-for-profiling"]


def run(*command, folder, code=0):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, (command, done.returncode, done.stderr)
    return done.stdout + done.stderr


def vectorized(folder, *flags):
    """The lines of the loops of which clang says so."""
    said = run("clang++-22", *FLAGS, *flags, "-Rpass=loop-vectorize", "-c", "-o", "sums.o", "sums.cc", folder=folder)
    return {line.split(":")[1] for line in said.splitlines() if "remark: vectorized loop" in line}


def block_counts(profile):
    """Of the profile's first function, as far as it has no inlinees."""
    lines = profile.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if "sums" in line and not line.startswith(" "))
    counts = {}
    for line in lines[start + 1:]:
        place, _, rest = line.partition(": ")
        if not place.strip().isdigit():
            break
        counts[int(place)] = int(rest.split()[0])
    return counts


def main():
    pgokit, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "lost_loops"
    if not shutil.which("clang++-22"):
        print("skipped: no clang++-22")
        return 77
    folder.mkdir(exist_ok=True)
    (folder / "sums.cc").write_text(SOURCE)
    run("clang++-22", *FLAGS, "sums.cc", "-o", "sums", folder=folder)
    for way, calls in {"--exact": "1000", "-F2000": "30000"}.items():
        run(pgokit, "record", "-q", "--software", way, "-o", "data", "--", "./sums", calls, folder=folder)
        run(pgokit, "generate", "-q", "-b", "sums", "--format", "text", "data", "-o", "profile", folder=folder)
        counts = block_counts(folder / "profile")
        assert counts[3] == counts[4] == counts[1] > 0, (way, counts)
        assert vectorized(folder, "-fprofile-sample-use=profile") == vectorized(folder) != set(), way
    # llvm-profgen's samples are what they were.
    run(pgokit, "generate", "-q", "-b", "sums", "--format", "raw", "data", "-o", "raw", folder=folder)
    run(pgokit, "llvm-profgen", "--binary=sums", "--unsymbolized-profile=raw", "--format=text", "--output=as_llvm", folder=folder)
    assert 3 not in block_counts(folder / "as_llvm")
    # Samples by context have them too.
    run(pgokit, "record", "-q", "--software", "--exact", "--contexts", "-o", "data", "--", "./sums", "1000", folder=folder)
    run(pgokit, "generate", "-q", "-b", "sums", "--cs", "--format", "text", "data", "-o", "profile", folder=folder)
    counts = block_counts(folder / "profile")
    assert counts[3] == counts[4] == counts[1] > 0, counts
    return 0


sys.exit(main())
