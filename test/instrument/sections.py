"""What is in the sections of instrumented programs, for every way to build them."""
import json
import os
import re
import shutil

import mip
import tools

NOINLINE = ["_Z7collatzl", "_Z9fibonaccii", "_Z6choosei", "_Z5checki", "_Z7catcheri", "_Z7area_ofRK5Shaped", "_Z6variediz"]


def check_map(program, functions, sizes=True):
    """Every field against nm; every function of the source that was linked is there once."""
    known = tools.symbols(program)
    seen = set()
    for function in functions:
        assert function.raw_start == mip_start(program), function
        assert (function.address, function.size) in [(a, s if sizes else 0) for a, s in known[function.name]], function
        assert function.address not in seen, function
        seen.add(function.address)
        addresses = [address for address, _ in function.blocks]
        if sizes:
            assert addresses == sorted(addresses), function
            assert all(function.address <= a < function.address + function.size for a in addresses), function
    for name in NOINLINE + ["main"]:
        assert sum(function.name == name for function in functions) == 1, f"{name} is not in the map once"


def mip_start(program):
    text = tools.run(["llvm-readelf-22", "-SW", program]).stdout
    return int(re.search(r"__llvm_mipraw\s+PROGBITS\s+([0-9a-f]+)", text)[1], 16)


def check_loading(program):
    """The map is not loaded and needs no relocation; the raw section begins with its header."""
    text = tools.run(["llvm-readelf-22", "-SW", program]).stdout
    flags = re.search(r"__llvm_mipmap\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+([A-Z]*)", text)[1]
    assert "A" not in flags, flags
    start = mip_start(program)
    size = int(re.search(r"__llvm_mipraw\s+PROGBITS\s+\S+\s+\S+\s+([0-9a-f]+)", text)[1], 16)
    relocations = tools.run(["llvm-readelf-22", "-rW", program]).stdout
    for line in relocations.splitlines():
        if match := re.match(r"([0-9a-f]{16})\s", line):
            assert not start <= int(match[1], 16) < start + size, line
    assert mip.section(program, "__llvm_mipraw")[:4] == b"\xfbMIP"


def check_run(build, program, sizes=True):
    check_loading(program)
    result = build.counts(program)
    functions = [function for entries in result.values() for function, _ in entries]
    check_map(program, functions, sizes)
    for name, covered in (("main", True), ("_Z7collatzl", True), ("_Z9never_runi", False), ("_Z5checki", True)):
        if name not in result:
            assert name == "_Z9never_runi", name  # may be inlined
            continue
        assert result[name][0][1].covered is covered, (name, result[name])
    return result


def levels(build):
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"):
        check_run(build, build.program("p" + level, "coverage", flags=[level]))


def first_lines(program):
    """By function: the line of its first instruction, and the line that its debug information says it begins in."""
    functions = {name: places[0][0] for name, places in tools.symbols(program).items() if name in NOINLINE + ["main"]}
    text = tools.run(["llvm-symbolizer-22", f"--obj={program}", "--no-inlines", "--output-style=JSON",
                      *map(hex, functions.values())]).stdout
    return {name: (each["Symbol"][0]["Line"], each["Symbol"][0]["StartLine"])
            for name, each in zip(functions, json.loads(text))}


def lines(build):
    """Functions begin in the line in which they begin without instrumentation, or that of their name; rows are of code."""
    for kinds in ("coverage", "calls,blocks"):
        for level in ("-O0", "-O2"):
            program = build.program("lines" + level, kinds, flags=[level, "-g"])
            plain = first_lines(build.program("plain" + level, "", flags=[level, "-g"]))
            for name, (line, start) in first_lines(program).items():
                assert start == plain[name][1] and line in plain[name], (kinds, level, name, line, plain[name])
            for part in (f"{program}.0.o", f"{program}.1.o"):
                rows = tools.run(["llvm-readelf-22", "-rW", part]).stdout.split(".rela.debug_line'")[1].split("section '")[0]
                assert "__llvm_mip" not in rows, rows


def linkers(build):
    for linker in tools.LINKERS:
        for gc in ((), ("-Wl,--gc-sections",)):
            program = build.program(f"{linker}{len(gc)}", "coverage", flags=["-O2", "-ffunction-sections"], linker=linker,
                                    link=gc)
            result = check_run(build, program)
            gone = "_Z17nobody_needs_thisi" not in result
            # gold resolves the addresses of dropped functions to 0, the others drop the record as well.
            assert gone == bool(gc), (linker, gc)


def modes(build):
    for name, flags, link in (
            ("pie", ["-fPIE"], ["-pie"]), ("nopie", ["-fno-pie"], ["-no-pie"]), ("static", ["-fno-pie"], ["-static"]),
            ("cet", ["-fcf-protection=full"], []), ("asan", ["-fsanitize=address"], []),
            ("as", ["-fno-integrated-as"], []), ("debug", ["-g"], []), ("dwarf4", ["-g", "-gdwarf-4"], []),
            ("medium", ["-mcmodel=medium"], []), ("compress", ["-g", "-gz"], []), ("coverage", ["--coverage"], []),
            ("clangs", ["-fprofile-instr-generate"], []), ("unique", ["-funique-internal-linkage-names"], [])):
        check_run(build, build.program(name, "coverage", flags=["-O2", *flags], link=link))
    # What the plugin makes of code is code as LLVM's own passes want it.
    for level in ("-O0", "-O2", "-Oz"):
        for kinds in ("blocks,order,edges", "coverage,block-coverage,calls32", "targets,tables,sizes"):
            build.program("verified", kinds, flags=[level, "-mllvm", "-verify-machineinstrs"])


def split(build):
    """Functions in parts: addresses of blocks instead of offsets, no size."""
    program = build.program("whole", "blocks,calls", flags=["-O2", "-fbasic-block-sections=all", "-ffunction-sections"],
                            options=["all-blocks"])
    result = build.counts(program)
    check_map(program, [function for entries in result.values() for function, _ in entries], sizes=False)
    assert result["_Z7collatzl"][0][1].calls > 0
    program = build.program("split", "coverage", flags=["-O2", "-fsplit-machine-functions"])
    check_run(build, program, sizes=False)


def lto(build):
    load = [f"-Wl,--load-pass-plugin={build.plugin}"]
    for name, flag in (("thin", "-flto=thin"), ("full", "-flto")):
        for level in ("-O0", "-O2"):
            program = build.program(name + level, "coverage", flags=[level, flag, "-ffunction-sections"],
                                    link=[*load, "-Wl,--gc-sections"])
            result = build.counts(program)
            check_loading(program)
            known = tools.symbols(program)
            for entries in result.values():
                for function, _ in entries:
                    assert (function.address, function.size) in known[function.name], function
            assert result["main"][0][1].covered is True
            assert result["_Z9fibonaccii"][0][1].covered is True
    # Without the plugin nothing would be counted: the link has to fail, and to say why.
    try:
        build.program("without", "coverage", flags=["-O2", "-flto=thin"])
    except AssertionError as error:
        assert "load_pass_plugin" in str(error), error
    else:
        raise AssertionError("a link without the plugin succeeded")
    try:
        build.program("no_runtime", "coverage", runtime=False)
    except AssertionError as error:
        assert "__pgokit_runtime" in str(error), error
    else:
        raise AssertionError("a link without the run time succeeded")


def lto_elsewhere(build):
    """Distributed ThinLTO, whose backends take no -fpass-plugin, and GNU ld and gold with LLVM's plugin for them."""
    objects = []
    for index, source in enumerate(tools.SHAPES):
        objects.append(build.path(f"{index}.o"))
        tools.run(["clang++-22", "-O2", "-flto=thin", *build.flags("coverage"), "-c", source, "-o", objects[-1]])
    runtime, out = build.lib + "/libpgokit_rt.a", build.path("distributed")
    tools.run(["clang++-22", "-flto=thin", "-fuse-ld=lld-22", *objects, runtime, "-Wl,--thinlto-index-only", "-o", out])
    native = [each + ".native.o" for each in objects]
    for bitcode, each in zip(objects, native):
        backend = ["clang++-22", "-O2", "-x", "ir", bitcode, f"-fthinlto-index={bitcode}.thinlto.bc", "-c", "-o"]
        tools.run([*backend, each, f"-fplugin={build.plugin}"])
        tools.run([*backend, each + ".without"])
        assert "__pgokit_error_link" in tools.run(["llvm-nm-22", "-u", each + ".without"]).stdout
    tools.run(["clang++-22", "-fuse-ld=lld-22", *native, runtime, "-Wl,--build-id", "-o", out])
    assert build.counts(out)["main"][0][1].covered
    if not os.path.exists("/usr/lib/llvm-22/lib/LLVMgold.so"):
        print("LLVMgold.so is not installed: GNU ld and gold are not tried")
        return
    for linker in ("bfd", "gold"):
        out = build.path(linker)
        tools.run(["clang++-22", "-O2", "-flto", f"-fuse-ld={linker}", *objects, runtime, "-Wl,--build-id", "-o", out],
                  env={"LD_PRELOAD": build.plugin})
        assert build.counts(out)["main"][0][1].covered


def shared(build):
    """A library and a program, each with its sections, its run time and its dump."""
    library = build.path("libother.so")
    flags = ["-O2", "-fPIC"]
    runtime = build.lib + "/libpgokit_rt.a"
    for linker, name in tools.LINKERS.items():
        tools.run(["clang++-22", *flags, *build.flags("coverage"), tools.SHAPES[1], "-shared", runtime, "-Wl,--build-id",
                   f"-fuse-ld={name}", "-o", library])
        program = build.program("main_" + linker, "coverage", sources=tools.SHAPES[:1], flags=flags, linker=linker,
                                link=[library, f"-Wl,-rpath,{build.folder}"])
        dumps = build.dump(program)
        assert len(dumps) == 2 and len({dump.build_id for dump in dumps}) == 2 and all(d.crc_ok for d in dumps), dumps
        assert sorted(dump.path.split("/")[-1] for dump in dumps) == sorted(["libother.so", "main_" + linker])
        for dump in dumps:
            file = library if dump.path.endswith(".so") else program
            functions = mip.read_map(mip.section(file, "__llvm_mipmap"))
            covered = {f.name for f in functions if mip.counts_of(f, dump.raw).covered}
            assert ("_Z10other_filei" in covered) == (file == library), covered
            assert dump.build_id in tools.run(["llvm-readelf-22", "-n", file]).stdout


def stripped(build):
    """The shipped program has no map, runs and dumps the same; the map is in the .debug file."""
    program = build.program("whole", "coverage", flags=["-O2", "-g"])
    before = build.dump(program)[0]
    for tool, option in (("llvm-strip-22", []), ("llvm-objcopy-22", ["--remove-section=__llvm_mipmap"]),
                         ("objcopy", ["--remove-section=__llvm_mipmap"])):
        out = build.path("shipped")
        tools.run([tool, *option, program, *(["-o", out] if "strip" in tool else [out])])
        assert "__llvm_mipmap" not in tools.run(["llvm-readelf-22", "-SW", out]).stdout, tool
        after = build.dump(out)[0]
        assert (after.raw, after.build_id) == (before.raw, before.build_id), tool
    debug = build.path("whole.debug")
    for tool in ("llvm-objcopy-22", "objcopy"):
        tools.run([tool, "--only-keep-debug", program, debug])
        assert mip.section(debug, "__llvm_mipmap") == mip.section(program, "__llvm_mipmap")
    extracted = build.path("map.bin")
    tools.run(["objcopy", f"--dump-section=__llvm_mipmap={extracted}", program, build.path("copy")])
    with open(extracted, "rb") as file:
        assert len(mip.read_map(file.read())) == len(mip.read_map(mip.section(program, "__llvm_mipmap")))


def shipped(build):
    """pgokit writes the program that llvm-strip does, and tells of a map that is still inside, as GNU strip leaves it."""
    pgokit = os.path.join(build.lib, "..", "..", "bin", "pgokit")
    for linker in tools.LINKERS:
        for link in ((), ("-static",), ("-shared",), ("-no-pie",), ("-Wl,--emit-relocs",)):
            flags = ["-O2", "-g", "-fPIC"] if "-shared" in link else ["-O2", "-g"]
            program = build.program("whole", "coverage", flags=flags, linker=linker, link=link)
            ours, theirs = build.path("ours"), build.path("theirs")
            tools.run([pgokit, "map", "-q", program, "-o", build.path("map"), "--strip", ours])
            if tools.run(["llvm-strip-22", program, "-o", theirs], check=False).returncode:
                shutil.copy(ours, theirs)  # it does not take relocations of IRELATIVE calls of static programs
            with open(ours, "rb") as mine, open(theirs, "rb") as other:
                assert mine.read() == other.read(), (linker, link)
            assert os.access(ours, os.X_OK)
            if "-shared" not in link:
                assert build.dump(ours)[0].raw == build.dump(program)[0].raw, (linker, link)
    program, out = build.program("whole", "coverage"), build.path("out")
    for command, stays in ((["strip", program, "-o", out], True), (["objcopy", "--strip-unneeded", program, out], True),
                           (["strip", "-R", "__llvm_mipmap", program, "-o", out], False), (["llvm-strip-22", program, "-o", out], False),
                           ([pgokit, "map", "-q", program, "-o", build.path("map"), "--strip", out], False)):
        tools.run(command)
        text = tools.run([pgokit, "show", out]).stdout
        assert ("'pgokit map --strip' takes it out" in text) == stays, (command, text)
        assert (json.loads(tools.run([pgokit, "show", "--json", out]).stdout)["map_bytes"] > 0) == stays, command
    # In place; of what is no program nothing is written.
    tools.run([pgokit, "map", "-q", program, "-o", build.path("map"), "--strip", program])
    with open(program, "rb") as mine, open(out, "rb") as other:
        assert mine.read() == other.read()
    bad = build.path("nothing")
    for wrong, said in ((build.path("map"), "not a program"), (f"{build.path('whole')}.0.o", "it is an object file")):
        result = tools.run([pgokit, "map", wrong, "-o", bad, "--strip", bad + ".shipped"], check=False)
        assert result.returncode == 1 and said in result.stderr and not os.path.exists(bad) and not os.path.exists(bad + ".shipped"), result


def many(build):
    """More sections than the numbers of an ELF header and of symbols can tell: in what is stripped, in what ships, and in both."""
    count = 66_000
    for loaded, flags in ((True, '"a"'), (False, '""')):
        text = build.path("many.s")
        with open(text, "w", encoding="utf-8") as file:
            file.write("".join(f".section part{i},{flags},@progbits\n.byte 1\n" for i in range(count)))
        program = build.program("many", "calls", sources=[os.path.join(tools.HERE, "collatz.c")], flags=["-O1"], link=[text], compiler="clang-22")
        ours, theirs, profile = build.path("ours"), build.path("theirs"), build.path("map")
        pgokit = os.path.join(build.lib, "..", "..", "bin", "pgokit")
        tools.run([pgokit, "map", "-q", program, "-o", profile, "--strip", ours])
        tools.run(["llvm-strip-22", program, "-o", theirs])
        with open(ours, "rb") as mine, open(theirs, "rb") as other:
            assert mine.read() == other.read(), loaded
        before, after = (int(re.search(r"There are (\d+) section headers", tools.run(["llvm-readelf-22", "-SW", each]).stdout)[1])
                         for each in (program, ours))
        assert before > count and (after > count if loaded else after < 100), (before, after)
        assert build.dump(ours, "9")[0].raw == build.dump(program, "9")[0].raw
        shown = json.loads(tools.run([pgokit, "show", profile, "--json"]).stdout)
        assert {"odd", "even", "main"} <= {f["name"] for f in shown["programs"][0]["functions"]}


def weak(build):
    """A definition that another replaces stays in the program, under a name that means the other."""
    sources = []
    for index, text in enumerate(("__attribute__((weak)) int f(int x) { return x * 3; }\nint g(int x) { return f(x) + 1; }\n",
                                  "int f(int x) { return x * x * x + 5; }\nint g(int);\nint main(void) { return g(1) != 7; }\n")):
        sources.append(build.path(f"weak{index}.c"))
        with open(sources[-1], "w", encoding="utf-8") as file:
            file.write(text)
    for flags in (["-O1"], ["-O1", "-fcf-protection=full"], ["-O0"]):
        program = build.program("weak", "calls,block-coverage", sources=sources, flags=flags, compiler="clang-22")
        records = build.counts(program)["f"]
        (real, size), = tools.symbols(program)["f"]
        assert sorted(counts.calls for _, counts in records) == [0, 1], records
        for function, counts in records:
            assert (counts.calls == 1) == ((function.address, function.size) == (real, size)), (function, real)
            if not counts.calls:
                text = tools.run(["llvm-objdump-22", "-d", f"--start-address={function.address}",
                                  f"--stop-address={function.address + function.size}", program]).stdout
                first, last = [line for line in text.splitlines() if line.startswith("    ")][::1][0], text.splitlines()[-1]
                assert ("endbr64" in first) == ("full" in flags[-1]) and "ret" in last, text


def unknown(build):
    """A processor that there is no code for: said, not left out."""
    source = build.path("f.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int f(int x) { return x + 1; }\n")
    command = ["clang-22", "--target=riscv64-linux-gnu", *build.flags("coverage"), "-c", source, "-o", build.path("f.o")]
    result = tools.run(command, check=False)
    assert result.returncode and "no instrumentation for riscv64" in result.stderr, result


if __name__ == "__main__":
    tools.main({"levels": levels, "lines": lines, "linkers": linkers, "modes": modes, "split": split, "lto": lto, "lto_elsewhere": lto_elsewhere, "shared": shared,
                "stripped": stripped, "shipped": shipped, "many": many, "weak": weak, "unknown": unknown})
