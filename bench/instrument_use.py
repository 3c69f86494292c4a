#!/usr/bin/env python3
"""What instrumented profiles gain: the programs of examples/ rebuilt with exact block counts beside a recorded profile and
clang's own instrumented PGO, and with what never ran made small. bench/instrument.py measures what collecting costs."""
import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))
import demo  # noqa: E402

COLD = "-mllvm -pgo-cold-func-opt=minsize"


def text_size(program):
    for line in subprocess.run(["llvm-size-22", "-A", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        if line.startswith(".text "):
            return int(line.split()[1])
    return 0


def stripped_size(program):
    out = program.with_name("stripped")
    subprocess.run(["llvm-strip-22", program, "-o", out], check=True)
    return out.stat().st_size


def instrumented(shell, compiler, kind, kinds, flags, run):
    shell.run(f"{compiler} {flags} $(pgokit flags {kinds} --compile) -o {kind} $(pgokit flags {kinds} --link)")
    shell.run(f"pgokit map {kind} -o {kind}.map")
    shell.run(f"PGOKIT_PROFILE_FILE={kind}.mipraw ./{kind} {run} > {kind}.out")
    shell.run(f"pgokit merge {kind}.map {kind}.mipraw -o {kind}.mip")
    shell.run(f"pgokit generate {kind}.mip -b {kind} -o {kind}.prof")


def measure(program, options):
    folder = options.folder.resolve() / program.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shell = demo.Shell(folder, options.bin.resolve())
    compiler = program.compile.format(examples=shell.examples)
    rounds = max(program.train_rounds // 8, 1)
    run = program.arguments.format(seed=1, rounds=rounds, examples=shell.examples)
    probes = demo.PROBES
    rows = [demo.Row("plain", "plain -O2", "")]
    shell.run(f"{compiler} -o plain")
    shell.run(f"{compiler} {probes} -o recorded")
    shell.run(f"pgokit record -o recorded.perf -- ./recorded "
              f"{program.arguments.format(seed=1, rounds=program.train_rounds, examples=shell.examples)} > recorded.out")
    shell.run("pgokit generate recorded.perf -b recorded -o recorded.prof")
    rows.append(demo.Row("recorded.use", "recorded profile, probes", f"{probes} -fprofile-sample-use=recorded.prof"))
    instrumented(shell, compiler, "blocks", "blocks", probes, run)
    rows.append(demo.Row("blocks.use", "block counts, probes", f"{probes} -fprofile-sample-use=blocks.prof"))
    instrumented(shell, compiler, "edges", "blocks edges", probes, run)
    rows.append(demo.Row("edges.use", "block counts and edges", f"{probes} -fprofile-sample-use=edges.prof"))
    instrumented(shell, compiler, "targets", "blocks targets", probes, run)
    rows.append(demo.Row("targets.use", "block counts and targets", f"{probes} -fprofile-sample-use=targets.prof"))
    instrumented(shell, compiler, "coverage", "coverage", demo.DEBUG_INFO, run)
    rows.append(demo.Row("coverage.use", "coverage, the rest minsize",
                         f"{demo.DEBUG_INFO} -fprofile-sample-use=coverage.prof {COLD}"))
    shell.run("pgokit export coverage.mip -b coverage --hotness -o coverage.hotness")
    rows.append(demo.Row("list.use", "coverage, cold minsize",
                         f"-g -fpass-plugin={options.bin.resolve()}/../lib/pgokit/pgokit-plugin.so "
                         "-mllvm -pgokit-use=coverage.hotness"))
    rows.append(demo.Row("both.use", "edges, cold code minsize", f"{probes} -fprofile-sample-use=edges.prof {COLD}"))
    shell.run(f"{compiler} -g -fprofile-generate -o clang")
    shell.run(f"LLVM_PROFILE_FILE=clang.profraw ./clang {run} > clang.out")
    shell.run("llvm-profdata-22 merge -o clang.profdata clang.profraw")
    rows.append(demo.Row("clang.use", "clang, instrumented", "-g -fprofile-use=clang.profdata"))
    for row in rows[1:]:
        shell.run(f"{compiler} {row.flags} -o {row.binary}")
    demo.measure(shell, program, rows, options.runs, program.measure_rounds)
    plain = rows[0].median()
    lines = [f"{program.name}\n", f"  {'build':<28} {'CPU s':>8} {'less':>7} {'text':>9} {'':>7} {'stripped file':>14} {'':>7}"]
    sizes = [(text_size(folder / row.binary), stripped_size(folder / row.binary)) for row in rows]
    for row, (text, file) in zip(rows, sizes):
        lines.append(f"  {row.label:<28} {row.median():>8.3f} {100 - 100 * row.median() / plain:>6.1f} % {text:>9,} "
                     f"{100 * text / sizes[0][0] - 100:>+6.1f} % {file:>14,} {100 * file / sizes[0][1] - 100:>+6.1f} %")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[program.name for program in demo.PROGRAMS])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/bench/instrument_use")
    options = parser.parse_args()
    tables = [measure(program, options) for program in demo.PROGRAMS if options.only in (None, program.name)]
    print("\n\n" + "\n\n".join(tables))


if __name__ == "__main__":
    main()
