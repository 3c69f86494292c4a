#!/usr/bin/env python3
"""The logs of first runs: rings that wrap, logs that are full, threads, LTO, forks, and the tool on them."""
import json
import os

import mip
import processes
import tools

KINDS = ("order-log", "order-calls")


def many(build, count, threads, mark="pgokit_mark(7)"):
    """A program of that many functions, each called once by each thread, in turn but from another one on."""
    source = build.path("many.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include <pthread.h>\n#include "runtime/pgokit.h"\n')
        for i in range(count):
            file.write(f"__attribute__((noinline)) void f{i}(void) {{ __asm__ volatile(\"\"); }}\n")
        table = ", ".join(f"f{i}" for i in range(count))
        file.write(f"""
static void (*const all[])(void) = {{{table}}};
__attribute__((no_profile_instrument_function)) static void* run(void* from) {{
  for (long i = 0; i < {count}; ++i) {{
    if (!from && i == {count} / 2) {mark};
    all[(i + (long)from) % {count}]();
  }}
  return 0;
}}
__attribute__((no_profile_instrument_function)) int main(void) {{
  pthread_t threads[{threads}];
  for (long i = 1; i < {threads}; ++i) pthread_create(&threads[i], 0, run, (void*)(i * 7));
  run(0);
  for (int i = 1; i < {threads}; ++i) pthread_join(threads[i], 0);
}}
""")
    return source


def built(build, source, kind, *options, name="many", flags=(), link=()):
    return build.program(f"{name}-{kind}", kind, sources=[source], flags=["-O1", "-I", tools.ROOT, *flags], options=options,
                         compiler="clang-22", link=["-pthread", *link])


def names_of(build, program, threads=1):
    dump, = build.dump(program)
    assert dump.crc_ok
    return mip.first_runs(mip.read_map(mip.section(program, "__llvm_mipmap")), dump, threads), dump


def buffers(build):
    """A ring keeps the last ones, a log of calls the first; what is lost is counted."""
    source = many(build, 500, 1)
    expected = [f"f{i}" for i in range(500)]
    for kind in KINDS:
        names, dump = names_of(build, built(build, source, kind))
        assert names == expected and not any(dump.dropped), kind
        assert [mark[:2] for mark in dump.marks] == [(7, 250)], dump.marks
        for size in (1, 100, 499, 500):
            names, dump = names_of(build, built(build, source, kind, f"order-buffer={size}"))
            assert names == (expected[500 - size:] if kind == "order-log" else expected[:size]), (kind, size)
            assert dump.dropped[2] == 500 - size, dump.dropped
    build.runtime = os.path.join(build.lib, "libpgokit_rt_small.a")
    source = many(build, 500, 1, mark="")  # which has no marks
    for kind in KINDS:
        names, dump = names_of(build, built(build, source, kind, "order-buffer=300", name="small"))
        assert names == (expected[200:] if kind == "order-log" else expected[:300]) and dump.dropped[2] == 200, kind


def threads(build):
    """Every function is there once, however many threads come to it at once."""
    source = many(build, 2000, 8)
    for kind in KINDS:
        program = built(build, source, kind)
        for _ in range(5):
            names, dump = names_of(build, program, threads=8)
            assert sorted(names) == sorted(f"f{i}" for i in range(2000)) and not any(dump.dropped), kind


def lto(build):
    """Ids differ from module to module; one buffer serves all."""
    for mode in ("-flto", "-flto=thin", ""):
        for level in ("-O0", "-O2"):
            link = [f"-Wl,--load-pass-plugin={build.plugin}"] if mode else []
            if mode == "-flto":
                link.append("-Wl,--lto-partitions=3")
            flags = [level] + ([mode] if mode else [])
            for linker in ("lld", "bfd", "gold") if not mode else ("lld",):
                runs = {}
                for kind in ("order", *KINDS):
                    program = build.program("shapes", kind, flags=flags, link=link, linker=linker)
                    functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
                    ids = [f.order_id for f in functions if f.order_id]
                    assert len(set(ids)) == len(ids) and len(ids) == (len(functions) if kind == "order-log" else 0)
                    names, _ = names_of(build, program)
                    runs[kind] = [name.split(".llvm.")[0] for name in names]
                assert runs["order"] == runs["order-log"] == runs["order-calls"] and len(runs["order"]) > 5, (mode, runs)


def processes_and_resets(build):
    """A forked child, and a program that resets, begin anew."""
    for kind in KINDS:
        program = processes.make(build, kind, name="process-" + kind)
        known = mip.read_map(mip.section(program, "__llvm_mipmap"))
        record = processes.only(processes.run(program, "work", "reset", "late", "work")[1])
        names = mip.first_runs(known, record)
        assert names[-2:] == ["late", "work"] and "main" not in names, names
        _, dumps = processes.run(program, "work", "fork", "work", "late", file="%p.mipraw")
        parent, child = sorted((records[0] for records in dumps.values()), key=lambda r: r.flags & 2)
        assert mip.first_runs(known, parent)[0] == "main" and "child_only" not in mip.first_runs(known, parent)
        assert mip.first_runs(known, child)[0] == "child_only" and "main" not in mip.first_runs(known, child)


def tool(build):
    """merge and show read the logs; what a ring lost is said."""
    pgokit = os.path.join(build.lib, "..", "..", "bin", "pgokit")
    source = many(build, 50, 1)
    for kind in KINDS:
        program = built(build, source, kind, "order-buffer=40")
        out = build.path("many.mipraw")
        build.dump(program, name=out)
        profile = build.path("many.mip")
        tools.run([pgokit, "map", program, "-o", build.path("many.map")])
        tools.run([pgokit, "merge", build.path("many.map"), out, "-o", profile])
        shown = tools.run([pgokit, "show", profile, "--order"]).stdout
        first = "f10" if kind == "order-log" else "f0"
        assert first in shown.split("\n\n")[-1].splitlines()[1], shown
        assert "10 first runs" in tools.run([pgokit, "show", profile]).stdout
        data = json.loads(tools.run([pgokit, "show", profile, "--json"]).stdout)
        assert kind.replace("-", "_") in json.dumps(data), data
    result = tools.run([pgokit, "flags", "order-log", "--buffer", "7", "--compile"])
    assert "-pgokit-order-buffer=7" in result.stdout, result.stdout
    broken = tools.run(["clang-22", "-c", source, "-I", tools.ROOT, *build.flags("order,order-log"), "-o", os.devnull], check=False)
    assert broken.returncode and "only one" in broken.stderr, broken


if __name__ == "__main__":
    tools.main({f.__name__: f for f in (buffers, threads, lto, processes_and_resets, tool)})
