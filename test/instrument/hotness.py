"""Hot, warm and cold functions: from counters or samples to the attributes that clang compiles them by."""
import os
import re

import mip
import tools
from tools import run

SOURCE = """#include <stdio.h>
__attribute__((noinline)) static int work(int n) { int s = 0; for (int i = 0; i < n; ++i) s = s * 3 ^ i; return s; }
static int inlined(int n) { return n < 0 ? -n : n; }
__attribute__((noinline)) int report(int n) { return printf("%d\\n", n); }
__attribute__((noinline)) int fail(int n) { return printf("failed: %d\\n", n) + printf("%d\\n", inlined(n)); }
__attribute__((noinline)) int again(int n) { return printf("failed: %d\\n", n) + printf("%d\\n", inlined(n)) + report(n); }
int main(int count, char** words) {
  (void)words;
  if (count > 3) return fail(count);
  if (count > 4) return again(count);
  int s = 0;
  for (int i = 0; i < 100; ++i) s += inlined(work(1000 + i));
  report(s);
  return 0;
}
"""

FOUR = ("one", "two", "three", "four")


def pgokit(build, *arguments, code=0):
    result = run([os.path.join(build.lib, "..", "..", "bin", "pgokit"), *arguments], check=False)
    assert result.returncode == code, (arguments, result.stdout, result.stderr)
    return result.stdout + result.stderr


def source(build, text=SOURCE, name="app.c"):
    with open(build.path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return name


def compiled(build, *flags, name="app.c", check=True):
    return run(["clang-22", *flags, name], check=check, cwd=build.folder)


def measured(build, kinds, flags=("-O2", "-g1")):
    """The profile of one run, and its program."""
    program, profile = build.path(f"app.{kinds}"), build.path(f"{kinds}.mip")
    compiled(build, *flags, *build.flags(kinds), "-c", "-o", program + ".o", name=source(build))
    run(["clang-22", "-fuse-ld=lld-22", program + ".o", build.runtime, "-Wl,--build-id", "-o", program])
    build.dump(program, name=build.path("app.mipraw"))
    pgokit(build, "merge", program, build.path("app.mipraw"), "-o", profile)
    return profile, program


def exported(build, kinds, *options):
    profile, program = measured(build, kinds)
    out = build.path(f"{kinds}.use")
    pgokit(build, "export", profile, "-b", program, "--hotness", *options, "-o", out)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    return out, dict(re.findall(r"^function \S+ (\S+)\n(.*)$", text, re.M)), text


def marks(build, use, *options, level="-O2", name="app.c"):
    """The attributes of each function that hotness decides, and what clang said."""
    plugin = [f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={use}", *(f"-mllvm=-pgokit-{each}" for each in options)]
    result = compiled(build, level, *plugin, "-S", "-emit-llvm", "-o", "-", name=name)
    groups = {number: set(re.findall(r"\b(?:cold|hot|minsize|optsize|inlinehint|nooutline)\b", text))
              for number, text in re.findall(r"^attributes (#\d+) = { (.*) }", result.stdout, re.M)}
    return {name: groups[group] for name, group in re.findall(r"^define .*?@(\w+)\(.*?(#\d+)", result.stdout, re.M)}, result.stderr


def kinds(build):
    """What each kind of data tells."""
    out, found, text = exported(build, "blocks")
    assert {name: line.split()[0] for name, line in found.items() if not name.endswith("inlined")} == {
        "app.c;work": "hot", "main": "warm", "report": "warm", "fail": "cold", "again": "cold"}, found
    assert int(found["app.c;work"].split()[1]) > 100, found  # its loop may be unrolled
    assert text.startswith("# pgokit use 4\n")
    # Each function has the checksum that is in the map.
    listed = {f.source: f.checksum for f in mip.read_map(mip.section(build.path("app.blocks"), "__llvm_mipmap"))}
    for checksum, name in re.findall(r"^function (\S+) (\S+)", text, re.M):
        assert name.endswith("inlined") or int(checksum, 16) == listed[name], (name, checksum)
    assert len(listed) == 5 and all(listed.values()), listed
    for kind in ("coverage", "block-coverage", "order"):
        _, covered, _ = exported(build, kind)
        assert {name: line.split()[0] for name, line in covered.items() if not name.endswith("inlined")} == {
            "app.c;work": "warm", "main": "warm", "report": "warm", "fail": "cold", "again": "cold"}, (kind, covered)
    _, called, _ = exported(build, "calls")
    assert called["app.c;work"] == "hot 100 often" and called["fail"] == "cold", called
    # The rest of the work makes others hot too.
    _, all_hot, _ = exported(build, "blocks", "--hot-percent", "100")
    assert {"main", "report"} <= {name for name, line in all_hot.items() if line.startswith("hot")}, all_hot
    return out


def attributes(build):
    use, _, _ = exported(build, "blocks")
    found, told = marks(build, use)
    cold, hot, rest = {"cold", "minsize", "optsize"}, {"hot", "nooutline"}, {"nooutline"}
    assert not told and found == {"work": hot, "fail": cold, "again": cold, "main": rest, "report": rest}, (found, told)
    found, _ = marks(build, use, level="-Oz")
    small = {"minsize", "optsize"}
    assert found == {"work": hot, "fail": cold, "again": cold, "main": small | rest, "report": small | rest}, found
    for option, name, expected in (("cold-size=optsize", "fail", {"cold", "optsize"}), ("cold-size=cold", "fail", {"cold"}),
                                   ("warm-size=optsize", "main", {"optsize", "nooutline"}),
                                   ("warm-size=minsize", "main", small | rest), ("outline=warm", "main", set()),
                                   ("outline=warm", "work", hot), ("outline=all", "work", {"hot"})):
        found, _ = marks(build, use, option)
        assert found[name] == expected, (option, found)
    # By hand; a function that the file does not tell of is compiled as without it.
    hand = build.path("hand.use")
    with open(hand, "w", encoding="utf-8") as file:
        file.write("# pgokit use 4\nfunction - report\ncold\nfunction - inlined\nhot 5 often\nfunction - work\nhot 5 often\n"
                   "function - again\nwarm 5\n")
    found, told = marks(build, hand)
    assert found["again"] == rest, found  # though all it does is to call what is cold
    assert not told and found["report"] == cold and found["fail"] == rest and found["work"] == hot, (found, told)
    plain = compiled(build, "-O2", "-S", "-emit-llvm", "-o", "-").stdout
    assert "nooutline" not in plain and "nooutline" not in compiled(
        build, "-O2", f"-fpass-plugin={build.plugin}", "-S", "-emit-llvm", "-o", "-").stdout


def outliner(build):
    """Code is taken out of cold functions and of no others."""
    use, _, _ = exported(build, "coverage")
    flags = ["-O2", f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={use}", "-mllvm=-enable-machine-outliner", "-S", "-o", "-"]
    hot = source(build, SOURCE + "int far(int, int, int);\n" + "".join(
        f"int {name}(int a, int b) {{ int r = far(a, b, 7); r += far(b, a, 9); r += far(r, a, b); return r * 3 + far(1, r, 3); }}\n"
        for name in FOUR), "outlined.c")

    def calls(lines, *options):
        with open(use, "w", encoding="utf-8") as file:
            file.write("# pgokit use 4\n" + lines)
        functions = re.split(r"^(\w+):\s+# @", compiled(build, *flags, *options, name=hot).stdout, flags=re.M)
        return {name for name, code in zip(functions[1::2], functions[2::2]) if re.search(r"(call|jmp)q?\s+OUTLINED", code) and name in FOUR}

    cold = "function - one\ncold\nfunction - two\ncold\n"
    ran = "function - three\nhot 5\nfunction - four\nwarm 5\n"
    for options in ((), ("-mllvm=-pgokit-cold-size=cold",)):
        assert calls(cold + ran, *options) == {"one", "two"}, options
    assert calls(cold + ran, "-mllvm=-pgokit-outline=warm") == {"one", "two", "four"}
    assert calls(cold + ran, "-mllvm=-pgokit-outline=all") == set(FOUR)


def elsewhere(build):
    """What was measured on x86-64 is used for targets that have no instrumentation too: Armv6."""
    name = source(build, SOURCE.replace("#include <stdio.h>", "int printf(const char*, ...);"))
    program, use = build.path("app"), build.path("app.use")
    compiled(build, "-O2", "-g1", *build.flags("blocks"), "-c", "-o", program + ".o", name=name)
    run(["clang-22", "-fuse-ld=lld-22", program + ".o", build.runtime, "-Wl,--build-id", "-o", program])
    build.dump(program, name=build.path("app.mipraw"))
    pgokit(build, "merge", program, build.path("app.mipraw"), "-o", build.path("app.mip"))
    pgokit(build, "export", build.path("app.mip"), "-b", program, "--hotness", "-o", use)
    refused = ("armv6-linux-gnueabihf",)
    for target in (*refused, "arm64-apple-macos13", "armv7-linux-gnueabihf", "aarch64-linux-gnu"):
        flags = ["-O2", f"--target={target}", f"-fpass-plugin={build.plugin}"]
        result = compiled(build, *flags, f"-mllvm=-pgokit-use={use}", "-mllvm=-enable-machine-outliner", "-S", "-emit-llvm", "-o", "-", name=name)
        groups = dict(re.findall(r"^attributes (#\d+) = { (.*) }", result.stdout, re.M))
        marked = {word: {each for each, group in re.findall(r"^define .*?@(\w+)\(.*?(#\d+)", result.stdout, re.M)
                         if word in groups[group].split()} for word in ("cold", "hot")}
        assert marked == {"cold": {"fail", "again"}, "hot": {"work"}} and not result.stderr, (target, marked, result.stderr)
        compiled(build, *flags, f"-mllvm=-pgokit-use={use}", "-mllvm=-enable-machine-outliner", "-c", "-o", os.devnull, name=name)
        if target in refused:
            result = compiled(build, *flags, "-mllvm=-pgokit-kinds=blocks", "-c", "-o", os.devnull, name=name, check=False)
            assert result.returncode and "there is no instrumentation for" in result.stderr, result


def changed(build):
    """Data of a function that has changed are refused, counted and told; what did not change is used."""
    use, _, _ = exported(build, "blocks")
    text = SOURCE.replace("return printf(\"failed: %d\\n\", n) + printf", "if (n & 1) return 3; return printf", 1).replace(
        "s = s * 3 ^ i;", "if (i % 7) s = s * 3 ^ i;")
    assert text != SOURCE
    source(build, text)
    found, told = marks(build, use)
    assert found["fail"] == found["work"] == {"nooutline"} and found["again"] == {"cold", "minsize", "optsize"}, found
    assert "not used for 2 functions that changed since it was made: fail, work" in told, told
    # Lines and names of variables are no change.
    source(build, "\n\n" + SOURCE.replace("s * 3", "s * 5"))
    found, told = marks(build, use)
    assert found["work"] == {"hot", "nooutline"} and not told, (found, told)


BLOCKS = """#include <stdio.h>
#define DOUBLE(n) ((n) + (n))
static int step(int n) {
  if (n > 100000) {
    printf("large: %d\\n", n);
    n = printf("%d %d\\n", n, DOUBLE(n));
    printf("more: %d\\n", n);
    n += printf("%d, %d, and more\\n", n, n * n) * printf("%d\\n", n - 7);
    n ^= printf("%d, %d, and still more\\n", n, n * n * n) * printf("%d\\n", n - 9);
  }
  return n + 1;
}
int main(int count, char** words) {
  (void)words;
  int s = 0;
  for (int i = 0; i < 100; ++i) s += step(i * count);
  switch (s) {
    case 1: puts("one"); return 1;
    case 2: puts("two"); return 2;
    default: break;
  }
  return printf("%d\\n", s) < 0;
}
"""


def blocks(build):
    """Branches get weights where a side of them never ran; a function that has changed gets none."""
    name = source(build, BLOCKS, "blocks.c")
    for kinds, level in (("block-coverage", "-O2"), ("blocks", "-O1"), ("block-coverage", "-O0")):
        program, out = build.path("blocks"), build.path("blocks.use")
        compiled(build, level, "-g", *build.flags(kinds), "-c", "-o", program + ".o", name=name)
        run(["clang-22", "-fuse-ld=lld-22", program + ".o", build.runtime, "-Wl,--build-id", "-o", program])
        build.dump(program, name=build.path("blocks.mipraw"))
        pgokit(build, "merge", program, build.path("blocks.mipraw"), "-o", build.path("blocks.mip"))
        pgokit(build, "export", build.path("blocks.mip"), "-b", program, "--blocks", "-o", out)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        known = dict(re.findall(r"^function \S+ (\S+)\nran .*\nnever (.*)$", text, re.M))
        assert {"2:5", "3:9", "4:5"} <= set(known["blocks.c;step"].split()) and "8:10" not in known["blocks.c;step"], (kinds, text)
        assert {"5:13", "6:13"} <= set(known["main"].split()), (kinds, known)
        if level == "-O0":
            continue  # other blocks: the checksum is another
        plugin = [f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={out}"]
        result = compiled(build, "-O2", "-g1", *plugin, "-S", "-emit-llvm", "-o", "-", name=name)
        weights = re.findall(r'!"branch_weights", (.*)}', result.stdout)
        assert "i32 1, i32 2000" in weights or "i32 2000, i32 1" in weights, weights
        assert "i32 2000, i32 1, i32 1" in weights and not result.stderr, (weights, result.stderr)
        # Without lines blocks are not found, and that is told.
        assert "without lines" in compiled(build, "-O2", *plugin, "-c", "-o", os.devnull, name=name).stderr
        split = build.path("split.o")
        compiled(build, "-O2", "-g1", *plugin, "-mllvm=-hot-cold-split", "-c", "-o", split, name=name)
        assert re.search(r"main\.cold|step\.cold", run(["llvm-nm-22", split]).stdout)
        changed_name = source(build, BLOCKS.replace("return n + 1", "return n ? n + 1 : 3"), "blocks.c")
        result = compiled(build, "-O2", "-g1", *plugin, "-S", "-emit-llvm", "-o", "-", name=changed_name)
        assert "not used for 1 function" in result.stderr and "step" in result.stderr, result.stderr
        source(build, BLOCKS, "blocks.c")
    calls, program = measured(build, "calls")
    assert "some blocks ran" in pgokit(build, "export", calls, "-b", program, "--blocks", code=1)


def samples(build):
    """The same from a sample profile, by name."""
    profile = build.path("app.prof")
    with open(profile, "w", encoding="utf-8") as file:
        file.write("work:9000:90\n 0: 90\n 1: 8910\nmain:60:1\n 1: 50\n 2: report:10\n  1: 10\n")
    out = build.path("samples.use")
    pgokit(build, "export", profile, "--hotness", "-o", out)
    with open(out, encoding="utf-8") as file:
        assert file.read() == ("# pgokit use 4\nfunction - main\nwarm 50\nfunction - report\nwarm 10\nfunction - work\nhot 9000 often\n")
    source(build)
    found, told = marks(build, out)
    assert found["work"] == {"hot", "nooutline"} and found["fail"] == found["main"] == {"nooutline"} and not told, found
    # What is on the list of symbols and has no samples never ran.
    listed = build.path("listed.prof")
    counted, program = measured(build, "blocks", ("-O2", "-g", "-fdebug-info-for-profiling"))
    pgokit(build, "generate", counted, "-b", program, "-o", listed)
    pgokit(build, "export", listed, "--hotness", "-o", out)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    assert "function - fail\ncold\n" in text and "function - again\ncold\n" in text and "function - work\nhot " in text, text
    found, _ = marks(build, out)
    assert found["fail"] == {"cold", "minsize", "optsize"}, found


def levels_of(path):
    with open(path, encoding="utf-8") as file:
        return dict(re.findall(r"^function - (\S+)\n(hot|warm|cold)", file.read(), re.M))


def recordings(build):
    """Of examples/interpreter: a recording and the profiles that are made of it tell the same, and clang takes all of it."""
    folder, example = build.path("."), os.path.join(tools.ROOT, "examples", "interpreter")
    tools.need("clang++-22")
    files = sorted(name for name in os.listdir(example) if name.endswith(".cc"))
    flags = ["-std=c++20", "-O2", "-g", "-fdebug-info-for-profiling"]
    for kind, extra in (("lines", ()), ("probes", ("-fpseudo-probe-for-profiling",))):
        program, recording, listed = (build.path(f"{kind}{end}") for end in ("", ".perf", ".names"))
        run(["clang++-22", *flags, *extra, "-fuse-ld=lld-22", "-Wl,--build-id", *(os.path.join(example, name) for name in files), "-o", program])
        record = run([os.path.join(build.lib, "..", "..", "bin", "pgokit"), "record", "-F", "2000", "-o", recording, "--", program,
                      os.path.join(example, "workload.sprig"), "1", "12"], check=False)
        if record.returncode:
            raise tools.Skip(f"nothing can be recorded here: {record.stderr}")
        use = build.path("recording.use")
        told = pgokit(build, "export", recording, "-b", program, "--hotness", "-o", use).splitlines()
        assert len(told) == 2 and told[0].startswith(f"pgokit export: {use}: ") and told[1].startswith("next: clang-22 "), told
        levels = levels_of(use)
        assert set(levels.values()) == {"hot", "warm"}, levels
        for name in ("_ZNK5sprig6Binary8evaluateERNS_5FrameE", "_ZNK5sprig5Local8evaluateERNS_5FrameE"):
            assert levels[name] == "hot", levels
        with open(use, encoding="utf-8") as file:
            text = file.read()
        # The same from what is made of it, in any form; with contexts it is another estimate.
        out, again = build.path("made.prof"), build.path("made.use")
        for options in (["--format", "text"], [], *([["--format", "binary"]] if kind == "lines" else [])):
            pgokit(build, "generate", recording, "-b", program, "-o", out, *options)
            pgokit(build, "export", out, "--hotness", "-o", again)
            with open(again, encoding="utf-8") as file:
                assert file.read() == text, options
        pgokit(build, "generate", recording, "-b", program, "-o", out, "--format", "raw")
        pgokit(build, "export", out, "-b", program, "--hotness", "-o", again)
        assert levels_of(again) == levels
        pgokit(build, "generate", "--cs", recording, "-b", program, "-o", out)
        pgokit(build, "export", out, "--hotness", "-o", again)
        assert levels_of(again)["_ZNK5sprig6Binary8evaluateERNS_5FrameE"] == "hot"
        # What exists and was never sampled is cold if the profile has a list of it.
        names = {line.split()[2] for line in run(["llvm-nm-22", "--defined-only", program]).stdout.splitlines() if line.split()[1] in "tTwW"}
        with open(listed, "w", encoding="utf-8") as file:
            file.write("".join(name + "\n" for name in sorted(names)))
        pgokit(build, "generate", recording, "-b", program, "-o", out)
        pgokit(build, "merge", out, "--prof-sym-list", listed, "-o", out + ".listed")
        pgokit(build, "export", out + ".listed", "--hotness", "-o", again)
        found = levels_of(again)
        assert {name for name, level in found.items() if level == "cold"} == names - levels.keys()
        assert {name: level for name, level in found.items() if level != "cold"} == levels
        marked = 0
        for name in files:
            result = run(["clang++-22", *flags, *extra, f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={again}", "-S", "-emit-llvm", "-o", "-",
                          os.path.join(example, name)], cwd=folder)
            groups = {number: words.split() for number, words in re.findall(r"^attributes (#\d+) = { (.*) }", result.stdout, re.M)}
            for function, group in re.findall(r"^define .*?@(\w+)\(.*?(#\d+)", result.stdout, re.M):
                level = found.get(function)
                if level:  # else inlined wherever it was called, in code that was not sampled
                    assert [word for word in ("hot", "cold") if word in groups[group]] == [level] * (level != "warm"), (name, function)
                marked += level is not None
            assert not result.stderr, result.stderr
        assert marked > 50, marked
        pgokit(build, "generate", recording, "-b", program, "-o", out, "--md5")
        assert "without --md5" in pgokit(build, "export", out, "--hotness", code=1)
        assert "-b is needed" in pgokit(build, "export", recording, "--hotness", code=2)


def lto(build):
    """Hotness is known before functions are moved to other modules."""
    use, _, _ = exported(build, "blocks")
    for kind in ("-flto=thin", "-flto"):
        bitcode = build.path("app.bc")
        compiled(build, "-O2", kind, f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={use}", "-c", "-o", bitcode)
        listed = run(["clang-22", "-x", "ir", bitcode, "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-o", "-"]).stdout
        assert " cold " in listed and '"nooutline"' in listed, kind
    profile, program = measured(build, "blocks", ("-O2", "-g1"))
    assert "hot" in pgokit(build, "export", profile, "-b", program, "--hotness")


def bad_input(build):
    profile, program = measured(build, "coverage")
    use = build.path("bad.use")
    assert "-b is needed" in pgokit(build, "export", profile, "--hotness", code=2)
    assert "--hot-percent 0" in pgokit(build, "export", profile, "-b", program, "--hotness", "--hot-percent", "0", code=2)
    assert "another file" in pgokit(build, "export", profile, "-b", program, "--hotness", "--lcov", code=2)
    empty = build.path("empty.mip")
    pgokit(build, "map", program, "-o", empty)
    assert "does not tell of any function" in pgokit(build, "export", empty, "-b", program, "--hotness", code=1)
    with open(build.path("hashed.prof"), "wb"):
        pass
    assert pgokit(build, "export", build.path("hashed.prof"), "--hotness", code=1)
    for text, said in (("# pgokit use 5\n", "version 5"), ("function - f\ncold\n", "not a file of hotness or targets"),
                       ("# pgokit use 4\ncold\n", "line 2 makes no sense"), ("# pgokit use 4\nfunction - f\ncold 5\n", "line 3"),
                       ("# pgokit use 4\nfunction - f\nhot\n", "line 3"), ("# pgokit use 4\nfunction - f\nhot 5 now\n", "line 3"),
                       ("# pgokit use 4\nfunction - f\nwarm 5 often\n", "line 3"), ("# pgokit targets 3\nfunction - f\ncold\n", "line 3")):
        with open(use, "w", encoding="utf-8") as file:
            file.write(text)
        result = compiled(build, "-O2", f"-fpass-plugin={build.plugin}", f"-mllvm=-pgokit-use={use}", "-c", "-o", os.devnull, check=False)
        assert result.returncode and said in result.stderr, (text, result.stderr)
    result = compiled(build, "-O2", f"-fpass-plugin={build.plugin}", "-mllvm=-pgokit-use=/nonexistent", "-c", "-o", os.devnull, check=False)
    assert result.returncode and "/nonexistent" in result.stderr


tools.main({f.__name__: f for f in (kinds, attributes, outliner, elsewhere, changed, blocks, samples, recordings, lto, bad_input)})
