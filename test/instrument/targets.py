"""Indirect call targets, judged by callgrind and by clang's own value profiling of the same run."""
import collections
import os
import re

import mip
import tools

DISPATCH = [os.path.join(tools.HERE, "dispatch.cc")]
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Oz")


def recorded(build, program, kind=mip.TARGETS, functions=None):
    """{function of the site: {target: count}}, targets by name; drops under None."""
    functions = functions or mip.read_map(mip.section(program, "__llvm_mipmap"))
    dump, = build.dump(program)
    assert dump.crc_ok
    names = {f.address: f.name for f in functions}
    result = collections.defaultdict(collections.Counter)
    for function in functions:
        for site in function.sites:
            if site.kind != kind:
                continue
            rows, dropped = mip.values_at(site, dump)
            for value, module, count in rows:
                owner = dump.modules[module - 1] if module else None
                if kind != mip.TARGETS:
                    name = value
                elif owner and owner.bias != dump.bias:
                    name = os.path.basename(owner.name)
                else:
                    name = names.get(value - dump.bias, hex(value - dump.bias))
                result[function.name][name] += count
            if dropped:
                result[function.name][None] += dropped
    return result


EXPECTED = {
    "_Z12virtual_callPK5Shapei": {"_ZNK4Line4areaEi": 600, "_ZNK6Square4areaEi": 200, "_ZNK6Circle4areaEi": 200},
    "_Z12virtual_tailPK5Shapei": {"_ZNK4Line4areaEi": 700, "_ZNK6Circle4areaEi": 300},
    "_Z4tailii": {"_ZL3addi": 334, "_ZL8subtracti": 333, "_ZL6negatei": 333},
    "_Z14through_globali": {"_ZL3addi": 600, "_ZL6negatei": 400},
    "_Z13two_on_a_linePFiiES0_": {"_ZL3addi": 50, "_ZL8subtracti": 50, "_ZL6negatei": 100},
    "_Z14many_argumentsPFdddiiiiiiiEd": {"_ZL3sumddiiiiiii": 5},
    "_Z8variadicPFiPcmPKczES_d": {"libc.so.6": 5},
}


def exact(build):
    """Every kind of call, at every level, however the program is linked."""
    outputs = set()
    for level in LEVELS:
        for flags in ((), ("-fPIC",), ("-fno-pie",), ("-fcf-protection=full",), ("-g",)):
            link = ["-no-pie"] if "-fno-pie" in flags else []
            program = build.program("p" + level + "".join(flags), "calls,targets,tables,sizes", DISPATCH,
                                    flags=[level, *flags], link=link)
            outputs.add(tools.run([program], env={"PGOKIT_PROFILE_FILE": ""}).stdout)
            functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
            found = recorded(build, program, functions=functions)
            libc = found["_Z8variadicPFiPcmPKczES_d"]
            if "libc.so.6" not in libc:  # the address of its stub in the program
                found["_Z8variadicPFiPcmPKczES_d"] = {"libc.so.6": sum(libc.values())}
            assert {name: dict(targets) for name, targets in found.items() if targets} == EXPECTED, (level, flags, found)
            assert "_Z5neverPFiiE" not in found or not found["_Z5neverPFiiE"]
            assert any(f.name == "_Z5neverPFiiE" and len(f.sites) >= 1 for f in functions)
            if level != "-O0":
                tables = recorded(build, program, mip.TABLES, functions)
                assert sorted(tables["_Z12virtual_callPK5Shapei"].values()) == [200, 200, 600], (level, flags, tables)
                sizes = recorded(build, program, mip.SIZES, functions)
                assert sizes["_Z4copyPcPKcm"] == {8: 30, 24: 10}, (level, flags, sizes)
    assert len(outputs) == 1, outputs
    for linker in ("bfd", "gold"):
        program = build.program("p" + linker, "targets", DISPATCH, linker=linker)
        assert recorded(build, program)["_Z4tailii"] == EXPECTED["_Z4tailii"], linker


def callgrind(build):
    """The edges of the functions whose only calls are indirect."""
    tools.need("valgrind")
    for level in ("-O0", "-O2"):
        program = build.program("p" + level, "targets", DISPATCH, flags=[level])
        found = recorded(build, program)
        seen = tools.callgrind(program, build.path("callgrind.out"))
        compared = 0
        for caller, targets in EXPECTED.items():
            if "tail" in caller and level != "-O0":
                continue  # callgrind takes what is called by a jump for a callee of the caller's caller
            for callee, count in targets.items():
                if callee == "libc.so.6":
                    continue
                assert seen.edges[caller, callee] == found[caller][callee] == count, (level, caller, callee, seen.edges)
                compared += 1
        print(f"{level}: {compared} edges")


def clang(build):
    """Value profiling of -fprofile-generate: the same targets and counts of every function."""
    tools.need("llvm-profdata-22")
    for level in ("-O0", "-O2"):
        program = build.program("judge" + level, "", DISPATCH,
                                flags=[level, "-fprofile-generate", "-mllvm", "-vp-counters-per-site=8"])
        raw, indexed = build.path("judge.profraw"), build.path("judge.profdata")
        tools.run([program], env={"LLVM_PROFILE_FILE": raw})
        tools.run(["llvm-profdata-22", "merge", raw, "-o", indexed])
        text = tools.run(["llvm-profdata-22", "show", "--all-functions", "--ic-targets", indexed]).stdout
        judged = collections.defaultdict(collections.Counter)
        function = None
        for line in text.splitlines():
            if match := re.match(r"^  (\S+):$", line):
                function = re.split("[;:]", match[1])[-1]
            elif match := re.match(r"^\s+\[ *\d+, (.*), +(\d+) \]", line):
                name = re.split("[;:]", match[1])[-1]
                judged[function][name if name.startswith("_Z") else "libc.so.6"] += int(match[2])
        ours = build.program("ours" + level, "targets", DISPATCH, flags=[level])
        found = recorded(build, ours)
        for name, targets in EXPECTED.items():
            assert judged[name] == found[name] == targets, (level, name, judged[name], found[name], text)
        print(f"{level}: {len(EXPECTED)} functions, {sum(map(len, EXPECTED.values()))} targets")


if __name__ == "__main__":
    tools.main({"exact": exact, "callgrind": callgrind, "clang": clang})
