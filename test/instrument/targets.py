"""Indirect call targets, judged by callgrind and by clang's own value profiling of the same run."""
import collections
import json
import os
import re
import struct
import zlib

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
                    name = names.get(mip.code(dump, value), hex(mip.code(dump, value)))
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


def site_rows(program, dump, name="_Z4sitePFiiEi"):
    function, = [f for f in mip.read_map(mip.section(program, "__llvm_mipmap")) if f.name == name]
    site, = function.sites
    names = {f.address: f.name for f in mip.read_map(mip.section(program, "__llvm_mipmap"))}
    rows, dropped = mip.values_at(site, dump)
    return [(names.get(mip.code(dump, value), value), dump.modules[module - 1] if module else None, count) for value, module, count in rows], dropped


def hard(build):
    """Recursion, signal handlers, threads, 10,000 targets of one call, targets unloaded before the dump: sums stay sums."""
    source = [os.path.join(tools.HERE, "hard_targets.cc")]
    library = build.path("library.so")
    with open(build.path("library.c"), "w", encoding="utf-8") as file:
        file.write("int in_library(int x) { return x; }\n")
    tools.run(["clang-22", *build.target, "-shared", "-fPIC", "-fuse-ld=lld-22", "-Wl,--build-id", build.path("library.c"), "-o", library])
    for level in ("-O0", "-O2"):
        program = build.program("p" + level, "targets", source, flags=[level], link=["-lpthread", "-ldl"])
        for case in ("recursion", "interrupted", "threads", "many", "unloaded"):
            out = build.path(case + ".mipraw")
            if os.path.exists(out):
                os.unlink(out)
            printed = int(tools.run([*build.runner, program, case, library], env={"PGOKIT_PROFILE_FILE": out}).stdout)
            dump, = mip.read_dumps(out)
            assert dump.crc_ok
            rows, dropped = site_rows(program, dump)
            total = sum(count for *_, count in rows) + dropped
            print(f"{level} {case}: {printed} calls, {total} recorded, {dropped} dropped, {len(rows)} targets")
            if case == "threads":  # those that count at once lose some
                assert printed * 0.2 < total <= printed, (total, rows)
            elif build.runner and case == "interrupted":  # a counter is more than one instruction there
                assert printed * 0.9 < total <= printed, (total, rows)
            else:
                assert total == printed, (case, total, printed, rows)
            if case == "many":
                assert len(rows) <= 18 and max(count for *_, count in rows) == 10001, rows
            if case == "unloaded":
                counts = {os.path.basename(module.name) if module and name != "_Z3onei" else name: count
                          for name, module, count in rows}
                assert counts == {"library.so": 100, "_Z3onei": 10} or build.runner, counts
    small = build.program("few", "targets", source, link=["-lpthread", "-ldl"], options=["target-buffer=3", "targets-per-site=2"])
    out = build.path("few.mipraw")
    tools.run([*build.runner, small, "many"], env={"PGOKIT_PROFILE_FILE": out})
    rows, dropped = site_rows(small, mip.read_dumps(out)[-1])
    assert len(rows) <= 3 and sum(count for *_, count in rows) + dropped == 20000, (rows, dropped)


def lto(build):
    """Code that is generated in the link records the same."""
    for mode in ("-flto", "-flto=thin"):
        program = build.program("p" + mode, "targets", DISPATCH, flags=["-O2", mode],
                                link=[f"-Wl,--load-pass-plugin={build.plugin}"])
        found = recorded(build, program)
        # Where all of the program is seen some calls become direct.
        for name, targets in found.items():
            for target, count in targets.items():
                assert EXPECTED[name][target] == count, (mode, name, target, count)
        for name in ("_Z12virtual_callPK5Shapei", "_Z12virtual_tailPK5Shapei", "_Z4tailii"):
            assert found[name] == EXPECTED[name], (mode, found)


def line_of(text):
    with open(DISPATCH[0], encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def tool(build):
    """pgokit merge and show: the same targets, over runs at other addresses; profiles for both ways of use."""
    pgokit = os.path.join(os.path.dirname(os.path.dirname(build.lib)), "bin", "pgokit")
    program = build.program("p", "targets,sizes", DISPATCH, flags=["-O2", "-g", "-fdebug-info-for-profiling"])
    profile = build.path("p.mip")
    build.dump(program, name=build.path("1.mipraw"))
    build.dump(program, name=build.path("2.mipraw"))
    tools.run([pgokit, "merge", program, build.path("1.mipraw"), build.path("2.mipraw"), "-o", profile])
    shown = json.loads(tools.run([pgokit, "show", profile, "--targets", "--json"]).stdout)
    found = collections.defaultdict(collections.Counter)
    for site in shown["sites"]:
        for value in site["values"]:
            if site["kind"] == "targets":
                found[site["function"]]["libc.so.6" if "libc.so.6" in value["name"] else value["name"]] += value["count"]
    assert {name: {t: c // 2 for t, c in targets.items()} for name, targets in found.items()} == EXPECTED, found
    text = tools.run([pgokit, "show", profile, "--targets", "-b", program]).stdout
    assert f"at dispatch.cc:{line_of('int virtual_call(')}" in text and "Line::area(int) const" in text, text
    written = tools.run([pgokit, "export", profile, "--targets"]).stdout
    assert re.search(r"call \d+ 0 ", written) and " 1200 _ZNK4Line4areaEi\n" in written, written
    text = tools.run([pgokit, "generate", profile, "-b", program, "--format", "text", "-o", "-"]).stdout
    assert "2000 _ZNK4Line4areaEi:1200 _ZNK6Circle4areaEi:400 _ZNK6Square4areaEi:400" in text, text
    return pgokit, profile, program


REMARK = re.compile(r"dispatch.cc:(\d+):\d+: remark: Promote indirect call to (\S+) with count (\d+) out of (\d+)")


def promotions(build):
    """What clang promotes, by its remarks: with the plugin and with a sample profile, what the profile justifies."""
    pgokit, profile, program = tool(build)
    targets, samples = build.path("p.targets"), build.path("p.prof")
    tools.run([pgokit, "export", profile, "--targets", "-o", targets])
    tools.run([pgokit, "generate", profile, "-b", program, "-o", samples])
    common = ["clang++-22", "-O2", "-g", "-fdebug-info-for-profiling", "-Rpass=pgo-icall-prom", "-c", DISPATCH[0], "-o", os.devnull]
    expected = collections.defaultdict(dict)
    for site in json.loads(tools.run([pgokit, "show", profile, "--targets", "--json", "-b", program]).stdout)["sites"]:
        for value in site["values"]:
            # At least 5 % of the calls and 30 % of those that no promotion before has taken; three at most.
            rest = site["total"] - sum(v["count"] for v in site["values"] if v["count"] > value["count"])
            if site["kind"] == "targets" and value["name"].startswith("_Z") and value["count"] >= 0.3 * rest:
                expected[site["line"]][value["name"]] = value["count"]
    for name, flags in (("plugin", [f"-fpass-plugin={build.plugin}", "-mllvm", f"-pgokit-use={targets}"]),
                        ("samples", [f"-fprofile-sample-use={samples}"])):
        found = collections.defaultdict(dict)
        for line, callee, count, _ in REMARK.findall(tools.run([*common, *flags]).stderr):
            found[int(line)][callee] = int(count)
        print(f"{name}: {sum(map(len, found.values()))} promotions at {len(found)} lines")
        for line, callees in found.items():
            for callee, count in callees.items():
                assert expected[line].get(callee) == count, (name, line, callee, count, expected[line])
        if name == "plugin":
            assert found == {line: callees for line, callees in expected.items() if callees}, (found, expected)
        else:
            assert {line_of("int virtual_call("), line_of("int virtual_tail(")} <= set(found), found  # static functions have no id of their own in sample profiles
    for text, complaint in (("nonsense\n", "not a file of hotness or targets"), ("# pgokit targets 1\ncall x\n", "line 2 makes no sense")):
        with open(targets, "w", encoding="utf-8") as file:
            file.write(text)
        result = tools.run([*common, f"-fpass-plugin={build.plugin}", "-mllvm", f"-pgokit-use={targets}"], check=False)
        assert complaint in result.stderr, result.stderr


def damaged(build):
    """Tables in dumps that make no sense, with a right checksum: what can be used is, the rest is told."""
    pgokit, _, program = tool(build)
    with open(build.path("1.mipraw"), "rb") as file:
        whole = bytearray(file.read())
    count = struct.unpack_from("<I", whole, 28)[0]
    rows, = [(at, size) for kind, _, at, size in (struct.unpack_from("<IIQQ", whole, 168 + 24 * i) for i in range(count)) if kind == 5]

    def merged(changed):
        struct.pack_into("<I", changed, len(changed) - 4, zlib.crc32(bytes(changed[:-4])))
        with open(build.path("damaged.mipraw"), "wb") as file:
            file.write(changed)
        result = tools.run([pgokit, "merge", program, build.path("damaged.mipraw"), "-o", build.path("damaged.mip")], check=False)
        assert result.returncode in (0, 3), result
        sites = json.loads(tools.run([pgokit, "show", build.path("damaged.mip"), "--targets", "--json"]).stdout)["sites"]
        for site in sites:
            assert site["total"] == site["dropped"] + sum(v["count"] for v in site["values"]), site
        return result.stderr, sum(site["total"] for site in sites if site["kind"] == "targets")

    all_calls = merged(bytearray(whole))[1]
    for offset, value, complaint in ((0, 1 << 40, "of no call of the map"), (16, 1 << 60, "impossible counts"), (8, 7, ""), (24, 77, "")):
        changed = bytearray(whole)
        if offset == 24:
            struct.pack_into("<I", changed, rows[0] + offset, value)
        else:
            struct.pack_into("<Q", changed, rows[0] + offset, value)
        told, calls = merged(changed)
        assert complaint in told, (offset, told)
        assert calls == all_calls or "impossible" in complaint, (offset, calls, all_calls)


def recordings(build):
    """Every indirect call in a branch stack is a sample of its target, by perf script's text here."""
    pgokit = os.path.join(os.path.dirname(os.path.dirname(build.lib)), "bin", "pgokit")
    program = build.program("p", "targets", DISPATCH, flags=["-O2", "-g", "-fno-pie", "-no-pie"])
    functions = {f.name: f for f in mip.read_map(mip.section(program, "__llvm_mipmap"))}
    site = functions["_Z12virtual_callPK5Shapei"].sites[0].address
    tail = functions["_Z12virtual_tailPK5Shapei"].sites[0].address
    line, circle = functions["_ZNK4Line4areaEi"].address, functions["_ZNK6Circle4areaEi"].address
    offset, start, size = (int(part, 16) for part in re.search(
        r"LOAD +(0x\w+) (0x\w+) 0x\w+ 0x\w+ (0x\w+) R E", tools.run(["llvm-readelf-22", "-lW", program]).stdout).groups())
    text = f"app 7 PERF_RECORD_MMAP2 7/7: [{start & ~0xfff:#x}({size + 0x1000:#x}) @ {offset & ~0xfff:#x} 08:04 19 3]: r-xp {program}\n"
    for origin, target, count in ((site, line, 5), (site, circle, 2), (tail, line, 3)):
        text += f" {target:x} {origin:#x}/{target:#x}/P/-/-/0\n" * count
    script = build.path("script.txt")
    with open(script, "w", encoding="utf-8") as file:
        file.write(text)
    shown = json.loads(tools.run([pgokit, "show", script, "--targets", "--json", "-b", program]).stdout)
    found = {site["function"]: {v["name"]: v["count"] for v in site["values"]} for site in shown["sites"]}
    assert found == {"_Z12virtual_callPK5Shapei": {"_ZNK4Line4areaEi": 5, "_ZNK6Circle4areaEi": 2},
                     "_Z12virtual_tailPK5Shapei": {"_ZNK4Line4areaEi": 3}}, shown
    targets = build.path("script.targets")
    tools.run([pgokit, "export", script, "--targets", "-b", program, "-o", targets])
    result = tools.run(["clang++-22", "-O2", "-g", f"-fpass-plugin={build.plugin}", "-mllvm", f"-pgokit-use={targets}",
                        "-Rpass=pgo-icall-prom", "-c", DISPATCH[0], "-o", os.devnull])
    assert "Promote indirect call to _ZNK4Line4areaEi with count 5 out of 7" in result.stderr, result.stderr
    for arguments, complaint in (([script], "-b PROGRAM"), ([DISPATCH[0], "-b", program], "neither"), (["/dev/null"], "empty")):
        result = tools.run([pgokit, "show", *arguments, "--targets"], check=False)
        assert result.returncode and complaint in result.stderr, result


SWITCH = """
typedef int (*fn)(int);
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int three(int x) { return x + 3; }
static int four(int x) { return x + 4; }
fn first = one, second = two, third = three, fourth = four;
__attribute__((noinline)) int tails(int k, int x) {
  switch (k) {
    case 0: return first(x);
    case 1: return second(x);
    case 2: return third(x);
    default: return fourth(x);
  }
}
__attribute__((noinline)) int joined(int k, int x) {
  int sum = 0;
  switch (k) {
    case 0: sum = first(x); break;
    case 1: sum = second(x); break;
    case 2: sum = third(x); break;
    default: sum = fourth(x);
  }
  return sum * 2;
}
int main(int argc, char **argv) {
  int s = 0;
  if (argc > 1) first = fourth, second = third, third = two, fourth = one;  // a link with LTO cannot tell
  for (int i = 0; i < 4000; ++i) s += tails(i & 3, s) + joined(i & 3, s);
  return s == 7 || !argv;
}
"""


def apart(build):
    """Equal calls of a switch, which the optimizer makes one of, have each its own target, with every kind of LTO too."""
    source = build.path("switch.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SWITCH)
    for level in ("-O1", "-O2", "-O3", "-Oz"):
        for lto in ((), ("-flto=thin",), ("-flto",)):
            link = [f"-Wl,--load-pass-plugin={build.plugin}"] if lto else []
            program = build.program("switch" + level + "".join(lto), "targets", [source], flags=[level, *lto], link=link, compiler="clang-22")
            functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
            dump, = build.dump(program)
            for function in functions:
                if function.name not in ("tails", "joined"):
                    continue
                counts = sorted(count for site in function.sites for _, _, count in mip.values_at(site, dump)[0])
                assert counts == [1000] * 4 and len(function.sites) == 4, (level, lto, function.name, counts)


if __name__ == "__main__":
    tools.main({"exact": exact, "callgrind": callgrind, "clang": clang, "hard": hard, "lto": lto, "tool": tool,
                "promotions": promotions, "damaged": damaged, "apart": apart,
                "recordings": recordings})
