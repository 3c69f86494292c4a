#!/usr/bin/env python3
"""profile_flags.py PGOKIT: what `pgokit flags profile` and `use=FILE` print, by the kind of the file, in each style, and what
they refuse."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PGOKIT = str(pathlib.Path(sys.argv[1]).resolve())
LINES = "-g -fdebug-info-for-profiling"
FOLDER = tempfile.TemporaryDirectory()  # where pgokit runs
WAYS = [f"-fmacro-prefix-map={'../' * n}{os.path.relpath('/src', pathlib.Path(FOLDER.name).resolve())}/=" for n in range(4)]
UNIQUE = f"-funique-internal-linkage-names -fmacro-prefix-map=/src/= {' '.join(WAYS)}"
PROBES = "-fpseudo-probe-for-profiling"
TEXT = "main:1000:10\n 1: 10\n 2: 990 f.__uniq.77:5\nf.__uniq.77:50:5\n 1: 50\n"
OF_PROBES = "main:1000:10\n 1: 10\n 2: 990\n !CFGChecksum: 281479271677951\n"


def flags(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LIBS")}
    return subprocess.run([PGOKIT, "flags", *arguments], capture_output=True, text=True, check=False, env=environment | variables)


def printed(*arguments, **variables):
    done = flags(*arguments, "--root", "/src", **variables)
    if done.returncode or done.stderr:
        sys.exit(f"flags {arguments}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def expect(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: not\n{wanted}\nbut\n{found}")


def refused(text, *arguments, code=1):
    done = flags(*arguments)
    if done.returncode != code or text not in done.stderr or done.stdout or done.stderr.count("\n") != 1:
        sys.exit(f"flags {arguments} should say '{text}': {done}")


def files(folder):
    """A file of each kind, by name."""
    (folder / "lines.prof").write_text(TEXT)
    (folder / "probes.prof").write_text(OF_PROBES)
    (folder / "app.order").write_text("main\nf\n")
    (folder / "gold.order").write_text(".text.main\n.text.f\n")
    (folder / "calls.graph").write_text("main f 7\n")
    (folder / "app.clusters").write_text("v1\nf main\nc0 1\n")
    (folder / "app.symorder").write_text("main\nmain.cold\n")
    (folder / "alone.clusters").write_text("v1\nf main\nc0 1\n")
    (folder / "counts.proftext").write_text("main\n10\n1\n7\n\n")
    (folder / "empty").write_text("")
    (folder / "list").write_text("a.perf\n/tmp/b.perf\n")
    (folder / "raw").write_text("1\n1000-1010:5\n0\n")
    for name, words in (("app.prof", ["merge", "lines.prof"]), ("app.md5", ["merge", "lines.prof", "--md5"]),
                        ("app.afdo", ["merge", "lines.prof", "--for", "gcc"]), ("app.profdata", ["merge", "counts.proftext"])):
        subprocess.run([PGOKIT, *words, "-o", name], cwd=folder, check=True, capture_output=True)


def check_kinds(folder):
    order = f"-ffunction-sections\n-Wl,--build-id -fuse-ld=lld -Wl,--symbol-ordering-file={folder}"
    use = f"-fprofile-sample-use={folder}"
    for arguments, wanted in (
            (["profile"], f"{LINES} {PROBES} {UNIQUE}\n-Wl,--build-id\n"),
            (["profile", "--by", "lines"], f"{LINES} {UNIQUE}\n-Wl,--build-id\n"),
            (["profile", "--by", "blocks"], f"{LINES} {UNIQUE} -ffunction-sections -fbasic-block-address-map\n-Wl,--build-id -fuse-ld=lld\n"),
            (["use=app.prof", "--by", "blocks", "--compile"],
             f"{LINES} {UNIQUE} -ffunction-sections -fbasic-block-address-map {use}/app.prof\n"),
            (["profile", "--for", "gcc"], "-g\n-Wl,--build-id\n"),
            (["use=lines.prof"], f"{LINES} {UNIQUE} {use}/lines.prof\n-Wl,--build-id {use}/lines.prof\n"),
            (["use=app.md5"], f"{LINES} {UNIQUE} {use}/app.md5\n-Wl,--build-id {use}/app.md5\n"),
            (["use=app.prof", "--for", "clang-16"], f"{LINES} {UNIQUE} {use}/app.prof\n-Wl,--build-id {use}/app.prof\n"),
            (["use=probes.prof"], f"{LINES} {PROBES} {use}/probes.prof\n-Wl,--build-id {use}/probes.prof\n"),
            (["use=app.afdo"], f"-g -fauto-profile={folder}/app.afdo\n-Wl,--build-id\n"),
            (["use=there.is.none", "--if-there"], f"{LINES} {PROBES} {UNIQUE}\n-Wl,--build-id\n"),
            (["use=app.profdata"], f"-fprofile-use={folder}/app.profdata -Wno-error=backend-plugin\n\n"),
            (["use=app.order"], f"{LINES} {PROBES} {UNIQUE} {order}/app.order -Wl,--no-warn-symbol-ordering\n"),
            (["use=app.clusters"], f"{LINES} {UNIQUE} -ffunction-sections -fbasic-block-sections=list={folder}/app.clusters\n"
                                   f"-Wl,--build-id -fuse-ld=lld -Wl,--symbol-ordering-file={folder}/app.symorder "
                                   "-Wl,--no-warn-symbol-ordering\n"),
            (["use=alone.clusters"], f"{LINES} {UNIQUE} -ffunction-sections "
                                     f"-fbasic-block-sections=list={folder}/alone.clusters\n-Wl,--build-id\n"),
            (["use=gold.order", "--link"], f"-Wl,--build-id -fuse-ld=gold -Wl,--section-ordering-file={folder}/gold.order\n"),
            (["use=calls.graph", "--link"], f"-Wl,--build-id -fuse-ld=lld -Wl,--call-graph-ordering-file={folder}/calls.graph\n")):
        expect(printed(*arguments), wanted, arguments)
    both = printed("use=app.prof", "use=app.order")
    expect(both, f"{LINES} {UNIQUE} {use}/app.prof {order.replace('-Wl,--build-id', f'-Wl,--build-id {use}/app.prof')}"
                 "/app.order -Wl,--no-warn-symbol-ordering\n", "a profile and an order")


def check_styles(folder):
    expect(printed("use=probes.prof", "--style", "autotools"),
           f"CFLAGS='-O2 {LINES} {PROBES} -fprofile-sample-use={folder}/probes.prof' "
           f"CXXFLAGS='-O2 {LINES} {PROBES} -fprofile-sample-use={folder}/probes.prof' "
           f"LDFLAGS='-Wl,--build-id -fprofile-sample-use={folder}/probes.prof'\n", "autotools")
    expect(printed("profile", "--style", "autotools", CFLAGS="-O3 -DDISTRO='a b'", CXXFLAGS="", LDFLAGS="-Wl,-z,now"),
           f"CFLAGS='-O3 -DDISTRO='\\''a b'\\'' {LINES} {PROBES} {UNIQUE}' CXXFLAGS='{LINES} {PROBES} {UNIQUE}' "
           "LDFLAGS='-Wl,-z,now -Wl,--build-id'\n", "autotools, behind what the environment says")
    words = ", ".join(f"'{word}'" for word in f"{LINES} {PROBES} {UNIQUE}".split())
    expect(printed("profile", "--style", "meson", CFLAGS="-O3 '-DDISTRO=a b'", CPPFLAGS="-DPRE '-DLINE=\\n'", LDFLAGS="-Wl,-z,now").splitlines()[2:],
           [f"c_args = ['-O3', '-DDISTRO=a b', '-DPRE', '''-DLINE=\\n''', {words}]", "c_link_args = ['-O3', '-DDISTRO=a b', '-Wl,-z,now', '-Wl,--build-id']",
            f"cpp_args = ['-DPRE', '''-DLINE=\\n''', {words}]", "cpp_link_args = ['-Wl,-z,now', '-Wl,--build-id']"], "Meson, behind what the environment says")
    done = flags("profile", "--style", "meson", CFLAGS="-DNAME='x")
    if done.returncode != 1 or "CFLAGS has a quote that is not closed: -DNAME='x" not in done.stderr:
        sys.exit(f"a quote that is open is refused: {done}")
    expect(printed("profile", "--style", "make", "--compile"),
           "# include THIS_FILE after CFLAGS, CXXFLAGS, LDFLAGS and LDLIBS are set\n"
           f"CFLAGS += {LINES} {PROBES} {UNIQUE}\nCXXFLAGS += {LINES} {PROBES} {UNIQUE}\n", "make")
    shutil.copy(folder / "lines.prof", folder / "a $b#.prof")
    (folder / "pgokit.mk").write_text(printed("use=a $b#.prof", "--style", "make"))
    (folder / "Makefile").write_text("include pgokit.mk\nmade: $(PGOKIT_FILES)\n\t@printf '%s\\n' '$<'\n")
    done = subprocess.run(["make", "-s"], cwd=folder, capture_output=True, text=True, check=False)
    made = done.stdout.strip().split("/")[-1]
    expect((done.returncode, made), (0, "a $b#.prof"), f"a file that make is to watch: {done.stderr}")
    lines = printed("use=lines.prof", "--style", "cargo").splitlines()
    expect(lines[1:], ["[build]", "rustflags = [", '  "-g",', '  "-Cstrip=none",', '  "-Zdebug-info-for-profiling",',
                       '  "-Zunstable-options",', '  "-Csymbol-mangling-version=legacy",',
                       *(f'  "-Cllvm-args=-{option}",' for option in (
                           "sample-profile-use-profi", "overwrite-existing-weights", "inline-enable-cost-benefit-analysis")),
                       f'  "-Zprofile-sample-use={folder}/lines.prof",', '  "-Clink-arg=-Wl,--build-id"', "]"], "cargo")
    expect(printed("use=app.afdo", "--for", "gcc", "--style", "bazel"),
           f"# .bazelrc: bazel build -c opt --config=pgokit ...\nbuild:pgokit --copt=-g\nbuild:pgokit --fdo_optimize={folder}/app.afdo\n"
           "build:pgokit --linkopt=-Wl,--build-id\n", "bazel")
    told = json.loads(printed("use=app.clusters", "--style", "json"))
    expect((told["files"], told["by"]), ([f"{folder}/app.clusters", f"{folder}/app.symorder"], "lines"), "json")
    text = printed("use=lines.prof", "--style", "cmake")
    for part in (f'pgokit_link_file(pgokit_file_0 "{folder}/lines.prof")', "-fprofile-sample-use=${pgokit_file_0}>",
                 "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>", 'add_link_options("-fprofile-sample-use=${pgokit_file_0}")'):
        expect(part in text, True, f"{part} in {text}")


    expect("-fmacro-prefix-map=.." in text, False, "CMake gives compilers absolute paths")


def check_names_of_static_functions(folder):
    """Compiled in the sources, in folders of the build at any depth and in another checkout: one name."""
    names = set()
    for checkout in ("a", "other/b"):
        root = folder / checkout
        for build in (".", "out", "out/release", "../beside"):
            for inside in (".", "src/lib"):
                compiled_in = root / build / inside
                compiled_in.mkdir(parents=True, exist_ok=True)
                (root / "x.c").write_text("static int f(int *p) { return *p; }\nint g(int *p) { return f(p); }\n")
                words = subprocess.run([PGOKIT, "flags", "profile", "--compile", "--root", os.path.relpath(root, root / build)], cwd=root / build,
                                       capture_output=True, text=True, check=True).stdout.split()
                assembly = subprocess.run(["clang-22", *words, "-S", "-o", "-", os.path.relpath(root / "x.c", compiled_in)], cwd=compiled_in,
                                          capture_output=True, text=True, check=True).stdout
                names |= set(re.findall(r"^(\S+\.__uniq\.\d+):", assembly, re.MULTILINE))
    expect(len(names), 1, f"names {names}")


def check_refusals(folder):
    for text, *arguments in (
            ("it is empty", "use=empty"), ("No such file", "use=there.is.none"), ("a program, not a profile", f"use={PGOKIT}"),
            ("raw counts, not a profile for compilers: 'pgokit generate", "use=raw"), ("neither a profile nor an order", "use=list"),
            ("a profile by lines, and --by probes", "use=lines.prof", "--by", "probes"),
            ("a profile by probes, and --by blocks", "use=probes.prof", "--by", "blocks"),
            ("a profile for GCC: 'pgokit merge", "use=app.afdo", "--for", "clang"),
            ("a profile for clang and rustc: 'pgokit merge", "use=app.prof", "--for", "gcc"),
            ("a second profile", "use=app.prof", "use=lines.prof"), ("counters as programs write them", "use=counts.proftext"),
            ("cannot have a layout of blocks", "use=probes.prof", "use=app.clusters"),
            ("which is for clang", "use=app.clusters", "--for", "gcc"), ("name it .afdo", "use=app.prof", "--style", "bazel"),
            ("which is for clang", "use=app.clusters", "--style", "cargo"),
            ("which $(...) divides", "profile", "--root", "/a b"), ("needs quotes", "profile", "--root", "/a b", "--style", "autotools")):
        refused(text, *arguments)
    for text, *arguments in (
            ("give one of them", "profile", "use=app.prof"), ("is of a file", "use="), ("by its name", "use=-"),
            ("it is probes, lines or blocks", "profile", "--by", "words"),
            ("only clang can", "profile", "--by", "blocks", "--for", "gcc"), ("GCC has none", "profile", "--by", "probes", "--for", "gcc"),
            ("is of 'use=FILE'", "profile", "--if-there"), ("is of 'use=FILE'", "profile", "--explain"),
            ("rustc does not tell", "use=lines.prof", "--explain", "--style", "cargo"), ("it is clang, gcc", "profile", "--for", "bolt"),
            ("of 'profile' and 'use=FILE'", "blocks", "--by", "lines"), ("is of builds that count", "profile", "--atomic"),
            ("is for rustc", "profile", "--style", "cargo", "--for", "clang"), ("--lto is of the plugin", "profile", "--lto"),
            ("--lib-dir is of the plugin", "profile", "--lib-dir", "/")):
        refused(text, *arguments, code=2)
    compressed = folder / "app.prof.gz"
    subprocess.run(f"gzip -c lines.prof > {compressed}", shell=True, cwd=folder, check=True)
    refused("compressed, which compilers do not read", f"use={compressed}")


def main():
    with FOLDER as name:
        folder = pathlib.Path(name).resolve()
        files(folder)
        os.chdir(folder)
        check_kinds(folder)
        check_styles(folder)
        check_names_of_static_functions(folder)
        check_refusals(folder)
    print("flags of profiles: all kinds, styles and refusals")


main()
