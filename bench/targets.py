#!/usr/bin/env python3
"""What knowing the targets of indirect calls costs and gains, beside clang's own value profiling.

    ./dev bench targets [--sources DIR] [--programs dispatch,interpreter] [--runs N] [--no-gain] [--update]

Programs: bench/dispatch.cc, which does little but call through pointers, those of examples/, and where DIR has them unpacked lua and
quickjs (see bench/instrument.py). Cost: instructions that callgrind counts, as percent over the build that counts calls only; the same
figures anywhere. Gain: CPU time by `pgokit measure` with N rounds, and 95 % intervals, of builds that promote and inline by the targets: with
the plugin (-pgokit-use), with a sample profile of blocks and targets (no plugin), and clang's -fprofile-use. --update writes
bench/targets.md."""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import instrument  # noqa: E402

WORK = ROOT / "build/bench/targets"
BIN = pathlib.Path(os.environ.get("PGOKIT_BIN", ROOT / "build/bin/pgokit"))
LINES = ["-gline-tables-only"]
PROBES = ["-gline-tables-only", "-fdebug-info-for-profiling", "-fpseudo-probe-for-profiling"]


def programs(sources):
    yield instrument.Program("dispatch", "clang++-22", [ROOT / "bench/dispatch.cc"], ["-std=c++20"], arguments=["200"])
    yield from instrument.programs(sources)


def run(command, **environment):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                   env=dict(os.environ, **{name: str(value) for name, value in environment.items()}))


def build(program, name, compile_flags, link_flags=()):
    folder = WORK / program.name
    objects = []
    for source in program.sources:
        objects.append(folder / f"{name}.{pathlib.Path(source).stem}.o")
        run([program.compiler, *instrument.COMMON, *program.flags, *compile_flags, "-c", source, "-o", objects[-1]])
    out = folder / name
    run([program.compiler, *instrument.COMMON, *objects, *link_flags, *program.link, "-Wl,--build-id", "-o", out])
    return out


def instructions(path, arguments):
    run(["llvm-strip-22", path, "-o", str(path) + ".shipped"])
    result = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(path) + ".shipped", *arguments], text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=dict(os.environ, PGOKIT_PROFILE_FILE="", LLVM_PROFILE_FILE=str(path) + ".discard"))
    if "Collected" not in result.stderr:
        sys.exit(f"{path}: callgrind failed\n{result.stderr}")
    return int(re.search(r"Collected : (\d+)", result.stderr)[1])


def cost(program):
    kinds = {"calls": instrument.ours("calls"), "calls, targets": instrument.ours("calls,targets"),
             "calls, targets, tables, sizes": instrument.ours("calls,targets,tables,sizes"),
             "clang, without values": instrument.clang("-fprofile-generate", "-mllvm", "-disable-vp"),
             "clang, with values": instrument.clang("-fprofile-generate")}
    counts = {}
    for kind, (compile_flags, link_flags) in kinds.items():
        counts[kind] = instructions(build(program, re.sub(r"\W+", "_", "cost " + kind), compile_flags, link_flags), program.arguments)
    ours, clang = counts["calls"], counts["clang, without values"]

    def more(kind, than):
        return f"{100 * counts[kind] / than - 100:+.1f} %"

    return [f"{ours:,}", more("calls, targets", ours), more("calls, targets, tables, sizes", ours),
            f"{clang:,}", more("clang, with values", clang)]


def train(program, name, kinds, flags):
    compile_flags, link_flags = instrument.ours(kinds)
    counted = build(program, name, [*flags, *compile_flags], link_flags)
    dump, profile = str(counted) + ".mipraw", str(counted) + ".mip"
    pathlib.Path(dump).unlink(missing_ok=True)
    run([counted, *program.arguments], PGOKIT_PROFILE_FILE=dump)
    run([BIN, "merge", counted, dump, "-o", profile])
    return counted, profile


def gain(program, arguments, runs):
    plugin = f"-fpass-plugin={instrument.LIB}/pgokit-plugin.so"
    builds = {"plain -O2": build(program, "plain", [])}
    counted, profile = train(program, "counted", "targets", LINES)
    run([BIN, "export", profile, "--targets", "-o", profile + ".targets"])
    builds["targets, by the plugin"] = build(program, "promoted", [*LINES, plugin, "-mllvm", f"-pgokit-use={profile}.targets"])
    counted, profile = train(program, "counted_tables", "targets,tables", LINES)
    run([BIN, "export", profile, "--targets", "-o", profile + ".targets"])
    builds["targets and tables, by the plugin"] = build(program, "compared", [*LINES, plugin, "-mllvm", f"-pgokit-use={profile}.targets"])
    counted, profile = train(program, "counted_blocks", "blocks", PROBES)
    run([BIN, "generate", profile, "-b", counted, "-o", profile + ".prof"])
    builds["blocks, sample profile"] = build(program, "sampled_blocks", [*PROBES, f"-fprofile-sample-use={profile}.prof"])
    counted, profile = train(program, "counted_both", "blocks,targets", PROBES)
    run([BIN, "generate", profile, "-b", counted, "-o", profile + ".prof"])
    builds["blocks and targets, sample profile"] = build(program, "sampled", [*PROBES, f"-fprofile-sample-use={profile}.prof"])
    generate = build(program, "clang_counted", ["-fprofile-generate"], ["-fprofile-generate"])
    raw, indexed = str(generate) + ".profraw", str(generate) + ".profdata"
    run([generate, *program.arguments], LLVM_PROFILE_FILE=raw)
    run(["llvm-profdata-22", "merge", raw, "-o", indexed])
    builds["clang -fprofile-use"] = build(program, "clang_use", [f"-fprofile-use={indexed}"])
    commands = [shlex.join(map(str, [path, *arguments])) for path in builds.values()]
    same = [] if program.name == "documents" else ["--same-output"]  # it prints times
    done = subprocess.run([BIN, "measure", "--json", "-n", str(runs), *same, "--", *commands], stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    figures = [one["figures"]["cpu_s"] for one in found["comparisons"]]
    plain = found["commands"][0]["figures"]["cpu_s"]["median"]
    gains = (f"{1 / one['ratio']:.2f} x ({1 / one['high']:.2f} to {1 / one['low']:.2f})" for one in figures)
    return found["busy_processors"], [f"{plain:.3f} s", *gains]


LONG = {"dispatch": lambda a: ["20000"], "interpreter": lambda a: [a[0], "2", "40"], "documents": lambda a: ["2", "60"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=pathlib.Path, default=ROOT / "build/bench/sources")
    parser.add_argument("--programs", help="only these, separated by commas")
    parser.add_argument("--runs", type=int, default=12, help="rounds of measuring")
    parser.add_argument("--no-gain", action="store_true", help="only what it costs")
    parser.add_argument("--update", action="store_true", help="write bench/targets.md")
    options = parser.parse_args()
    instrument.WORK.mkdir(parents=True, exist_ok=True)
    costs, gains, busy = [], [], 0
    for program in programs(options.sources):
        if program.name == "zstd" or (options.programs and program.name not in options.programs.split(",")):
            continue
        (WORK / program.name).mkdir(parents=True, exist_ok=True)
        costs.append([program.name, *cost(program)])
        print(costs[-1], flush=True)
        if program.name in LONG and not options.no_gain:
            others, row = gain(program, LONG[program.name](program.arguments), options.runs)
            gains.append([program.name, *row])
            busy = max(busy, others)
            print(gains[-1], flush=True)

    def table(head, rows):
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])

    text = "Executed instructions (callgrind):\n\n" + table(
        ["program", "calls", "calls + targets", "+ tables, sizes", "clang without values", "clang with values"], costs)
    if gains:
        text += ("\n\nSpeed, trained with one input and measured with another or a longer one (CPU time, 95 %\n"
                 f"intervals; {options.runs} rounds, other programs kept {busy:.1f} processors busy):\n\n") + table(
            ["program", "plain -O2", "targets, plugin", "and tables", "blocks, sample profile", "blocks + targets, sample profile",
             "clang -fprofile-use"], gains)
    print("\n" + text)
    if options.update:
        (ROOT / "bench/targets.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
