#!/usr/bin/env python3
"""AArch64 programs with unusual layouts, in assembly, against llvm-profgen 22: the same bytes.

    aarch64.py --candidate "build/bin/pgokit llvm-profgen" --walk PATH [--folder DIR]

Each case is what one of LLVM's own tests for AArch64 is about: branch stacks of BRBE, segments aligned to 64 KiB, code
sections in falling order of address, skid in hybrid samples, mappings at zero and repeated ones. Exit code 77 without
clang 22, lld or the judge.
"""
import argparse
import dataclasses
import pathlib
import shlex
import shutil
import subprocess
import sys

JUDGE = ["llvm-profgen-22"]
CLANG = ["clang-22", "--target=aarch64-linux-gnu", "-nostdlib", "-fuse-ld=lld-22"]
RAW = ("--skip-symbolization",)
FORMS = (RAW, RAW + ("--use-offset=0",), RAW + ("--use-first-loadable-segment-as-base",), ("--format=text",),
         ("--format=text", "--ignore-stack-samples"))

# Two functions in sections of their own.
C_PART = """
int twice(int x) { return x * 2; }
__attribute__((section("low_code"), noinline)) int low(int x) { int s = 0; while (x-- > 0) s += twice(x) ^ s; return s; }
__attribute__((section("high_code"), noinline)) int high(int x) { return x > 3 ? low(x) + high(x - 2) : low(1); }
void _start(void) { for (;;) high(5); }
"""
BRANCHES = """
  .globl foo
  .type foo,%function
foo:
  b .+8
  nop
  nop
  b .-12
  ret
  .size foo, .-foo
"""


def function(name, *body):
    return f"  .globl {name}\n  .type {name},%function\n{name}:\n" + "".join(f"  {line}\n" for line in body) + f"  .size {name}, .-{name}\n"


SKID = ("  .text\n" + function("g", *["nop"] * 7, "ret") + function("r", *["nop"] * 3, "bl r", *["nop"] * 3, "ret") +
        function("main", "nop", "nop", "bl f", "nop", "bl r", "nop", "nop", "ret") + function("h", *["nop"] * 7, "ret") +
        function("f", *["nop"] * 4, "bl g", "nop", "nop", "b h", ".space 0x160"))
# Empty probe sections: with these the judge takes functions from symbols.
PROBES = '  .section .pseudo_probe_desc,"",%progbits\n  .section .pseudo_probe,"",%progbits\n'


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    source: str
    language: str
    link: tuple
    script: str  # {segments}: a walk over the code, mapped as its segments ask for
    forms: tuple = FORMS
    judged: str = ""  # the same for the judge, where it refuses that


def mapping(start, size, offset, name="prog", pid=1):
    return f"PERF_RECORD_MMAP2 {pid}/{pid}: [{start:#x}({size:#x}) @ {offset:#x} 00:00 0 0]: r-xp /tmp/{name}\n"


def entries(branches, base=0):
    return "".join(f" {base + a:#x}/{base + b:#x}/P/-/-/0 " for a, b in branches)


def stack(*branches, base=0):
    return f"{base + branches[0][1]:x}{entries(branches, base)}\n"


def hybrid(chain, *branches):
    return "".join(f"\t            {address:x}\n" for address in chain) + entries(branches) + "\n\n"


def skid_samples():
    """Leaves that lie behind, before and in another function than the newest branch's target; chains out of the program."""
    to_f, f_to_g, g_to_f, f_to_h = (0x1048, 0x1080), (0x1090, 0x1000), (0x101c, 0x1094), (0x109c, 0x1060)
    return [((0x1088, 0x104c), to_f), ((0x1184, 0x104c), to_f), ((0x1088, 0x104c), g_to_f, f_to_g, to_f),
            ((0x1088, 0x104c), f_to_g, to_f), ((0x1008, 0x1094, 0x104c), g_to_f, f_to_g, to_f),
            ((0x1088, 0x104c), f_to_h, to_f), ((0x1028, 0x1030, 0x1054), (0x1050, 0x1020)),
            ((0x7f0000001000, 0x1094, 0x104c), to_f), ((0x1088, 0x104c), (0x1090, 0x7f0000001000), to_f),
            ((0x1068, 0x104c), f_to_h, to_f), ((0x1004, 0x1094, 0x104c), f_to_g, to_f), ((0x1024, 0x1030, 0x1054), (0x102c, 0x1020))]


def cases():
    at = 0x700000000000
    link = ("-Wl,--image-base=0", "-Wl,-Ttext=0x1000", "-Wl,-e,foo")
    loop = [(0x100c, 0x1000), (0x1000, 0x1008)]
    text = (0x1000, 0x1000)  # where the code is in the file, and how much of it
    event = mapping(at + text[0], text[1], text[0])
    yield Case("brbe", BRANCHES, "s", link, event + stack(*loop, base=at))
    yield Case("mapped-at-zero", BRANCHES, "s", link, mapping(0, 0x1000, 0x1000) + stack((0xc, 0), (0, 8), (0xc, 0)))
    yield Case("mapped-twice", BRANCHES, "s", link,
               mapping(at + text[0], 0x800, text[0]) + event + stack(*loop, base=at))
    yield Case("mapped-elsewhere-later", BRANCHES, "s", link,
               event + stack(*loop, base=at) + mapping(at + 0x101000, 0x1000, 0x1000, pid=2) +
               stack(*loop, base=at + 0x100000) + stack(*loop, base=at))
    yield Case("mapped-by-large-pages", BRANCHES, "s", link, mapping(at, 0x10000, 0) + stack(*loop, base=at),
               judged=event + stack(*loop, base=at))
    skid = ("-Wl,--image-base=0", "-Wl,-Ttext=0x1000", "-Wl,-e,main")
    here = mapping(0x1000, 0x1000, 0x1000)
    # A first sample of several branches: by that the judge tells what text it is.
    plain = hybrid((0x1068, 0x104c), (0x109c, 0x1060), (0x1048, 0x1080))
    for name, source in (("skid", SKID), ("skid-probes", SKID + PROBES)):
        yield Case(name, source, "s", skid, here + plain + "".join(hybrid(*sample) for sample in skid_samples()), FORMS[:3])
        for i, sample in enumerate(skid_samples()):
            yield Case(f"{name}-{i}", source, "s", skid, here + plain + hybrid(*sample), (RAW,))
    for name, more in (("page-4k", ()), ("page-64k", ("-Wl,-z,max-page-size=65536",)),
                       ("page-64k-separate", ("-Wl,-z,max-page-size=65536", "-Wl,-z,separate-loadable-segments")),
                       ("page-64k-pie", ("-Wl,-z,max-page-size=65536", "-pie", "-fPIE"))):
        yield Case(name, C_PART, "c", more, "{segments}")
    # Sections whose headers stand in falling order of address.
    yield Case("falling-sections", C_PART, "c", ("-Wl,--section-start=high_code=0x400000",
                                                 "-Wl,--section-start=low_code=0x500000"), "{segments}")


def segments_of(program):
    """(offset, address, size, alignment) of those with code"""
    text = subprocess.run(["llvm-readelf-22", "-lW", str(program)], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in text.splitlines() if line.split()[:1] == ["LOAD"] and "E" in line.split()[6:-1]]
    return [tuple(int(one[i], 16) for i in (1, 2, 5, -1)) for one in words]


def script_for(case, program, walk):
    """A walk over the code; mappings rounded to pages as large as the segments' alignment."""
    if case.script != "{segments}":
        return case.script
    out = program.with_name("walk")
    base = 0x7f0000000000 if "-pie" in case.link else 0
    segments = segments_of(program)
    large = max(align for _, _, _, align in segments)
    subprocess.run([walk, program, "-o", out, "--samples", "300", "--base", hex(base)], check=True)
    first = min(address & -0x1000 for _, address, _, _ in segments)
    walked = out.read_text().splitlines(keepends=True)
    start = int(walked[0].split("[")[1].split("(")[0], 16) - first if "-pie" in case.link else 0
    events = ""
    for offset, address, size, _ in segments:
        begin, end = address & -large, (address + size + large - 1) & -large
        events += mapping(start + begin, end - begin, offset & -large)
    return events + "".join(line for line in walked if "PERF_RECORD" not in line)


def outcome(tool, program, script, form, out):
    out.unlink(missing_ok=True)
    done = subprocess.run([*tool, "--binary", program, "--perfscript", script, *form, "--output", out], capture_output=True,
                          check=False)
    if done.returncode < 0 or done.returncode > 128:
        return "crashed"
    return out.read_bytes() if done.returncode == 0 and out.exists() else "refused"


def compare(case, folder, candidate, walk):
    folder = folder / case.name
    folder.mkdir(parents=True, exist_ok=True)
    source, program, script = folder / f"source.{case.language}", folder / "prog", folder / "script"
    source.write_text(case.source)
    subprocess.run([*CLANG, "-g", "-O1", *case.link, source, "-o", program], check=True, capture_output=True)
    script.write_text(script_for(case, program, walk))
    judged = folder / "judged" if case.judged else script
    if case.judged:
        judged.write_text(case.judged)
    passed = failed = refused = 0
    for form in case.forms:
        judge = outcome(JUDGE, program, judged, form, folder / "judge")
        ours = outcome(candidate, program, script, form, folder / "ours")
        if judge == ours or (judge == "crashed" and ours != "crashed"):
            passed += 1
            refused += judge == "refused"
            continue
        failed += 1
        print(f"DIFFERENT: {case.name} {' '.join(form)}: {folder}")
    return passed, failed, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidate", required=True)
    parser.add_argument("--walk", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/differential"))
    args = parser.parse_args()
    for tool in (JUDGE[0], "clang-22", "ld.lld-22", "llvm-readelf-22"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    results = [compare(case, args.folder.resolve() / "aarch64", shlex.split(args.candidate), args.walk) for case in cases()]
    passed, failed, refused = (sum(column) for column in zip(*results))
    print(f"{passed} passed ({refused} of them refused by both), {failed} failed")
    return int(failed > 0 or 2 * refused > passed)


if __name__ == "__main__":
    sys.exit(main())
