"""Counts, blocks, order and edges, judged by callgrind and by clang's own instrumentation of the same program."""
import os
import re

import mip
import tools

LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Oz")


def counted(build, kinds, level, *options, flags=()):
    program = build.program("p" + level + "".join(options), kinds, flags=[level, *flags], options=options)
    return program, build.counts(program)


def judge(build, program):
    tools.need("valgrind")
    return tools.callgrind(program, build.path("callgrind.out"))


def calls(build):
    """Every function of the map: as often as callgrind saw its first instruction."""
    for level in LEVELS:
        for kind in ("calls", "calls32"):
            program, result = counted(build, kind, level)
            seen = judge(build, program)
            for entries in result.values():
                for function, counts in entries:
                    assert counts.calls == seen.executed[function.address], (level, function, counts)
            assert result["_Z7catcheri"][0][1].calls == 20


def blocks(build):
    """Every block of every function, counted or inferred: as often as callgrind saw its first instruction."""
    for level in LEVELS:
        for options in (["all-blocks"], []):
            program, result = counted(build, "blocks,calls", level, *options)
            seen = judge(build, program)
            blocks = counters = 0
            for entries in result.values():
                for function, counts in entries:
                    throws = not options and function.name in ("_Z5checki", "_Z7catcheri", "main", "_Z6choosei")
                    blocks += len(function.blocks)
                    counters += function.counters
                    if throws:
                        continue  # what leaves by an exception does not flow on
                    for (address, _), count in zip(function.blocks, counts.blocks):
                        assert count == seen.executed[address], (level, options, function, hex(address), counts)
            print(f"{level} {'all' if options else 'minimal'}: {counters} counters for {blocks} blocks")


def atomic(build):
    """Atomic additions count the same, whether flags and registers are free or not."""
    for level in LEVELS:
        _, plain = counted(build, "blocks,calls", level, "all-blocks")
        program, result = counted(build, "blocks,calls", level, "all-blocks", "atomic")
        for name, entries in plain.items():
            assert [counts for _, counts in entries] == [counts for _, counts in result[name]], (level, name)
        text = tools.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", program]).stdout
        assert len(re.findall(r"\block\b", text)) > 50, level


def block_coverage(build):
    for level in LEVELS:
        for options in (["all-blocks"], []):
            program, result = counted(build, "block-coverage", level, *options)
            seen = judge(build, program)
            blocks = counters = 0
            for entries in result.values():
                for function, counts in entries:
                    blocks += len(function.blocks)
                    counters += function.counters
                    for (address, _), ran in zip(function.blocks, counts.blocks):
                        assert ran == (seen.executed[address] > 0), (level, options, function, hex(address), counts)
            print(f"{level} {'all' if options else 'minimal'}: {counters} counters for {blocks} blocks")


def clang_counts(build):
    """Without inlining every function corresponds: entry counts of -fprofile-instr-generate and -fprofile-generate."""
    tools.need("llvm-profdata-22")
    result = counted(build, "calls", "-O0")[1]
    for name, flags, least in (("frontend", ["-fprofile-instr-generate"], 12),
                               ("ir", ["-fprofile-generate", "-mllvm", "-pgo-instrument-entry"], 80)):
        program = build.program(name, "", flags=["-O0", *flags])
        raw, indexed = build.path(name + ".profraw"), build.path(name + ".profdata")
        tools.run([program], env={"LLVM_PROFILE_FILE": raw})
        tools.run(["llvm-profdata-22", "merge", raw, "-o", indexed])
        text = tools.run(["llvm-profdata-22", "show", "--all-functions", "--counts", indexed]).stdout
        compared = 0
        for match in re.finditer(r"^  (?:\S*[;:])?([^\s:;]+):\n    Hash.*\n    Counters: \d+\n"
                                 r"(?:    Function count: (\d+)|    Block counts: \[(.*)\])", text, re.M):
            function = match[1]
            # Counters of the second are on edges, that of the entry is one of them.
            counts = [int(match[2])] if match[2] else [int(each) for each in match[3].split(", ")]
            if len(result.get(function, [])) == 1:
                assert result[function][0][1].calls in counts, (flags, function, counts, result[function])
                compared += 1
        print(f"{flags[0]}: {compared} functions")
        assert compared >= least, text


def order(build):
    """As a build with -finstrument-functions tells it, by the same names."""
    trace_source = build.path("trace.c")
    with open(trace_source, "w", encoding="utf-8") as file:
        file.write("""
#include <stdio.h>
#define OFF __attribute__((no_instrument_function))
extern char __executable_start[];
static FILE* out;
static void* seen[4096];
OFF void __cyg_profile_func_enter(void* function, void* site) {
  (void)site;
  if (!out) out = fopen("TRACE", "w");
  for (int i = 0; i < 4096; ++i) {
    if (seen[i] == function) return;
    if (!seen[i]) { seen[i] = function; break; }
  }
  fprintf(out, "%lx\\n", (unsigned long)((char*)function - __executable_start));
}
OFF void __cyg_profile_func_exit(void* function, void* site) { (void)function, (void)site; }
__attribute__((destructor)) OFF static void finish(void) { if (out) fclose(out); }
""".replace("TRACE", build.path("trace.txt")))
    trace_object = build.path("trace.o")
    tools.run(["clang-22", "-O1", "-c", trace_source, "-o", trace_object])
    judge_program = build.program("judge", "", flags=["-O0", "-finstrument-functions", "-no-pie", "-fno-pie"],
                                  link=[trace_object])
    tools.run([judge_program])
    base = min(a for a, in [(int(m, 16),) for m in re.findall(r"LOAD\s+\S+ (0x[0-9a-f]+)", tools.run(
        ["llvm-readelf-22", "-lW", judge_program]).stdout)])
    names = {address: name for name, places in tools.symbols(judge_program).items() for address, _ in places}
    with open(build.path("trace.txt"), encoding="utf-8") as file:
        expected = [names[int(line, 16) + base] for line in file]
    for kind in ("order", "order-log", "order-calls"):
        for level in ("-O0", "-O2"):
            program = build.program(f"{kind}{level}", kind, flags=[level])
            dump, = build.dump(program)
            assert dump.crc_ok
            names_in_order = mip.first_runs(mip.read_map(mip.section(program, "__llvm_mipmap")), dump)
            kept = [name for name in expected if name in names_in_order]
            assert sorted(kept) == sorted(names_in_order), set(kept) ^ set(names_in_order)
            if level == "-O0":  # optimization may call functions that do nothing else in another order
                assert kept == names_in_order, (kept, names_in_order)
            print(f"{kind} {level}: {len(kept)} functions")


def edges(build):
    """With rate 1 every call but each thread's first is sampled: callgrind's edges and their counts."""
    for flags in ((), ("-fPIC",)):
        for level in ("-O0", "-O2"):
            program = build.program("p" + level + "".join(flags), "edges,calls", flags=[level, *flags],
                                    options=["edge-rate=1"])
            functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
            dump, = build.dump(program)
            seen = judge(build, program)
            assert dump.crc_ok and dump.dropped == [0, 0, 0, 0] and dump.edge_rate == 1

            def name_at(address):
                found = [f.name for f in functions if f.address <= address - dump.bias < f.address + f.size]
                return found[0] if found else None

            sampled = {}
            for site, callee, count in dump.edges:
                key = name_at(site), name_at(callee)
                assert key[1] is not None, (hex(site), hex(callee))
                sampled[key] = sampled.get(key, 0) + count
            total = sum(mip.counts_of(f, dump.raw).calls for f in functions)
            assert sum(sampled.values()) == total - 1, (sum(sampled.values()), total)
            compared = 0
            for (caller, callee), count in sampled.items():
                # callgrind takes the address behind a tail call for a call of the jumping function
                if caller and level == "-O0":
                    assert seen.edges[caller, callee] == count, (caller, callee, count, seen.edges[caller, callee])
                    compared += 1
            print(f"{level} {' '.join(flags)}: {len(sampled)} edges, {compared} compared")
    program = build.program("rare", "edges", flags=["-O0"], options=["edge-rate=10", "edge-buffer=2"])
    dump, = build.dump(program)
    assert len(dump.edges) <= 2 and dump.dropped[0] > 0 and dump.edge_rate == 10
    assert 150 < sum(e[2] for e in dump.edges) + dump.dropped[0] < 500, dump


def selection(build):
    """Lists, sizes and groups."""
    chosen = build.path("functions.txt")

    def names(*options):
        program = build.program("p", "coverage", options=options)
        return {f.name for f in mip.read_map(mip.section(program, "__llvm_mipmap"))}

    everything = names()
    with open(chosen, "w", encoding="utf-8") as file:
        file.write("# two of them\n_Z7collatz*\n_Z9fib[a-z]*\n-*collatzl2\n")
    assert names(f"functions={chosen}") == {"_Z7collatzl", "_Z9fibonaccii"}
    with open(chosen, "w", encoding="utf-8") as file:
        file.write("-_Z7collatzl\n")
    assert names(f"functions={chosen}") == everything - {"_Z7collatzl"}
    groups = [names("groups=3", f"group={i}") for i in range(3)]
    assert set.union(*groups) == everything and sum(map(len, groups)) == len(everything) and all(groups)
    assert "main" in names("min-size=50") and "_Z6squarei" not in names("min-size=50")
    assert names("min-size=50") < everything
    for wrong in (["functions=/nonexistent/list"], ["groups=2", "group=2"]):
        assert "pgokit" in failure(build, "coverage", *wrong)
    assert "there is no kind 'covrage'" in failure(build, "covrage")
    with open(chosen, "w", encoding="utf-8") as file:
        file.write("[z-\n")
    assert "functions" in failure(build, "coverage", f"functions={chosen}")


def failure(build, kinds, *options):
    try:
        build.program("wrong", kinds, options=options)
    except AssertionError as error:
        return str(error)
    raise AssertionError(f"{kinds} {options}: accepted")


if __name__ == "__main__":
    tools.main({"calls": calls, "blocks": blocks, "atomic": atomic, "block_coverage": block_coverage, "clang_counts": clang_counts,
                "order": order, "edges": edges, "selection": selection})
