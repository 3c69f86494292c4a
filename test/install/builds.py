"""builds.py BUILD FOLDER CASE: builds with profiles by what `cmake --install BUILD` puts into FOLDER. The examples of
examples/build do what their READMEs tell; CMake projects of several kinds compile again for another profile, and only then."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

BUILD, FOLDER, CASE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/build"
SKIPPED = 77
PREFIX, TOOLS, LOG = FOLDER / "prefix", FOLDER / "tools", FOLDER / "compiled"
# Notes each call of the compiler: a line, of words that end in US.
LOGGER = """#!/bin/sh
words=$(printf '%s\\037' "$PWD" "$@"; echo x)
printf '%s\\n' "${{words%x}}" >> {log}
exec {compiler} "$@"
"""


def run(*command, fails=False, env=None, cwd=FOLDER):
    words = [str(word) for word in command]
    environment = {**os.environ, "PATH": f"{TOOLS}:{PREFIX}/bin:{os.environ['PATH']}", "PREFIX": str(PREFIX), **(env or {})}
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=cwd, env=environment)
    if bool(done.returncode) != fails:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def prepare():
    for tool in ("clang-22", "ld.lld-22"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    shutil.rmtree(FOLDER, ignore_errors=True)
    TOOLS.mkdir(parents=True)
    run("cmake", "--install", BUILD, "--prefix", PREFIX)
    for name in ("clang-22", "gcc-12"):
        if shutil.which(name):
            (TOOLS / name).write_text(LOGGER.format(log=LOG, compiler=shutil.which(name)))
            (TOOLS / name).chmod(0o755)
    if '"software": true' not in run("pgokit", "doctor", "--json"):
        skip("ptrace is not permitted here")


def compilations(source="words.c"):
    """What the compiler was called with for a source, since this was last asked."""
    calls = [line.split("\037")[:-1] for line in LOG.read_text().splitlines()] if LOG.exists() else []
    LOG.unlink(missing_ok=True)
    return [call for call in calls if "-c" in call and any(word.endswith(source) for word in call)]


def entry_count(call, function="count_word"):
    """How often the compiler believes that a function is entered, compiled again as it was; None: it knows no profile."""
    cwd, *words = call
    words = [word for i, word in enumerate(words) if word not in ("-c", "-o") and (i == 0 or words[i - 1] != "-o")]
    text = run(shutil.which("clang-22"), *words, "-S", "-emit-llvm", "-o", "-", cwd=cwd)
    number = re.search(rf"@{function}\(.* !prof !(\d+)", text)
    count = number and re.search(rf"^!{number[1]} = !{{!\"function_entry_count\", i64 (\d+)[,}}]", text, re.M)
    return count and int(count[1])


def check_used(calls, what):
    expect(calls and entry_count(calls[-1]), f"{what}: the profile is used: {calls}")


def copy_of(example, name=None):
    folder = FOLDER / (name or example)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(EXAMPLES / example, folder)  # links become files
    return folder


def check_example(name):
    """What its README tells, as it stands there."""
    folder = copy_of(name)
    commands = "\n".join(re.findall(r"^```sh\n(.*?)^```", (folder / "README.md").read_text(), re.DOTALL | re.MULTILINE))
    run("bash", "-euxc", commands, cwd=folder)
    calls = compilations()
    expect(len(calls) > 1 and entry_count(calls[0]) is None, f"{name}: it was built without a profile first: {calls}")
    check_used(calls, name)
    print(run(PREFIX / "bin/pgokit", "show", "--top", "3", folder / "words.prof"))


def example(name, *tools):
    def check():
        for tool in tools:
            if not shutil.which(tool):
                skip(f"{tool} is not installed")
        check_example(name)
    return check


def configure(folder, build, generator, *options, compiler="clang-22"):
    said = run("cmake", "-S", folder, "-B", build, "-G", generator, f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={PREFIX}",
               "-DCMAKE_BUILD_TYPE=Release", *options)
    return " ".join(said.split())


def cmake_rebuilds():
    """With Ninja and with make: another profile compiles everything again, one that was touched nothing."""
    for generator in ("Ninja", "Unix Makefiles"):
        folder = copy_of("cmake")
        build, profile = folder / "build", folder / "words.prof"
        said = configure(folder, build, generator)
        expect("words-train" in said and "Warning" in said, f"what is missing is said: {said}")
        make = ("cmake", "--build", build)
        run(*make)
        expect(len(compilations()) == 1, "it was compiled")
        run(*make, "--target", "pgokit-train")
        expect(not compilations(), "training compiles nothing that is there")
        said = run(*make)
        check_used(compilations(), generator)
        expect("verdict" in said and "Warning" not in said, f"how well the profile fits is printed: {said}")
        run(*make)
        expect(not compilations(), "nothing changed")
        profile.touch()
        run(*make)
        expect(not compilations(), "a profile that was touched compiles nothing")
        text = run("pgokit", "merge", "--weighted-input", f"5,{profile}", "-o", profile)
        run(*make)
        calls = compilations()
        check_used(calls, f"{generator}, {text}")
        expect(len(calls) == 1, calls)
        profile.rename(folder / "kept")
        said = configure(folder, build, generator)
        expect("is not there yet" in said, said)
        expect("is not there yet" not in configure(folder, build, generator), "it is said once")
        run(*make)
        expect(entry_count(compilations()[-1]) is None, "it is built without")
        time.sleep(1.1)  # times of files that make compares
        (folder / "kept").rename(profile)
        run(*make)
        check_used(compilations(), f"{generator}: a profile that appears")


PROJECT = """cmake_minimum_required(VERSION 3.16)
project(words C)
add_library(counting STATIC words.c)
add_executable(words main.c)
target_link_libraries(words PRIVATE counting)
"""


def cmake_unchanged():
    """A project that knows nothing of pgokit, by CMAKE_PROJECT_INCLUDE: the installed file, and one by pgokit flags."""
    folder = copy_of("cmake")
    (folder / "CMakeLists.txt").write_text(PROJECT)
    build = folder / "build"
    include = f"-DCMAKE_PROJECT_INCLUDE={PREFIX}/lib/cmake/pgokit/profile.cmake"
    said = configure(folder, build, "Ninja", include, "-DPGOKIT_PROFILE=words.prof", "-DPGOKIT_TARGET=words",
                     "-DPGOKIT_TRAIN=words 100000;words 200000", "-DPGOKIT_ORDER=words.order")
    expect("words-train" in said, said)
    run("cmake", "--build", build)
    run("cmake", "--build", build, "--target", "words-train")
    compilations()
    run("cmake", "--build", build)
    calls = compilations()
    check_used(calls, "profile.cmake")
    expect("main" in (folder / "words.order").read_text().split(), "an order beside the profile")
    expect(299000 < entry_count(calls[0]) < 301000, f"of both commands: {entry_count(calls[0])}")

    style, profile = folder / "profile.cmake", folder / "words.prof"
    style.write_text(run("pgokit", "flags", f"use={profile}", "--style", "cmake"))
    for generator in ("Ninja", "Unix Makefiles"):
        build = folder / f"styled {generator}"
        configure(folder, build, generator, f"-DCMAKE_PROJECT_INCLUDE={style}")
        run("cmake", "--build", build)
        check_used(compilations(), "--style cmake")
        run("pgokit", "merge", "--weighted-input", f"3,{profile}", "-o", profile)
        run("cmake", "--build", build)
        check_used(compilations(), "--style cmake, another profile")


def cmake_training():
    """Commands with `;`, quotes and empty words, notes, and what is said where the training is not what a project has."""
    lists = PROJECT.replace("project(words C)", "project(words C)\nfind_package(pgokit REQUIRED)")
    shell = """sh -c './words 1000 >first; echo "a;;b" [ >second; exit 0'"""
    for generator in ("Ninja", "Unix Makefiles"):
        folder = copy_of("cmake")
        build, profile = folder / "build", folder / "words.prof"
        quoted = shell.replace('"', '\\"')
        (folder / "CMakeLists.txt").write_text(
            lists + f'pgokit_profile(words counting PROFILE words.prof TRAIN "{quoted}" "words 2000 \'\' \'a;b\'; words 3000")\n')
        configure(folder, build, generator)
        run("cmake", "--build", build, "--target", "words-train")
        expect((build / "first").read_text().startswith("1000 words"), "what is in front of the `;` runs")
        expect((build / "second").read_text() == "a;;b [\n", f"and what is behind it: {(build / 'second').read_text()}")
        notes = json.loads(run("pgokit", "show", "--json", profile))["notes"]
        commands = sorted(note["command"].replace(f"{build}/", "") for note in notes)
        start = "pgokit record --exact -- "
        expect(commands == [start + shell.replace("'", ""), start + "words 2000  a;b", start + "words 3000"], f"three commands: {commands}")
        configure(folder, build, generator)
        run("cmake", "--build", build)
        check_used(compilations(), generator)

    folder = copy_of("cmake")
    (folder / "CMakeLists.txt").write_text(PROJECT)
    build = folder / "build"
    include = f"-DCMAKE_PROJECT_INCLUDE={PREFIX}/lib/cmake/pgokit/profile.cmake"
    train = f"-DPGOKIT_TRAIN=words 100;{shell}"
    given = ("-DCMAKE_C_COMPILER=clang-22", include, "-DPGOKIT_PROFILE=words.prof")

    def said(*options, fails=False):
        shutil.rmtree(build, ignore_errors=True)
        return " ".join(run("cmake", "-S", folder, "-B", build, "-G", "Ninja", *given, *options, fails=fails).split())

    text = said()
    expect("pgokit record -o run.perf" in text and f"--for clang-22 --note -o {folder}/words.prof" in text and "-train" not in text, f"commands: {text}")
    text = said(train, fails=True)
    expect("PGOKIT_TRAIN wants -DPGOKIT_TARGET=NAME" in text, text)
    text = said(train, "-DPGOKIT_TARGET=wrods", fails=True)
    expect("there is no target wrods. Programs: words" in text and text.count("CMake Error") == 1, text)
    text = said(train, "-DPGOKIT_TARGET=counting", fails=True)
    expect("counting is a STATIC_LIBRARY" in text, text)
    text = said("-DPGOKIT_TRAIN=sh -c 'words", "-DPGOKIT_TARGET=words", fails=True)
    expect("a quote is not closed in the training command: sh -c 'words" in text, text)
    text = said(train, "-DPGOKIT_TARGET=words", "-DPGOKIT_NO_NOTE=ON")
    expect("--target words-train" in text, text)
    run("cmake", "--build", build, "--target", "words-train")
    expect((build / "second").read_text() == "a;;b [\n", "the same of a variable")
    expect("recorded" not in run("pgokit", "show", "--summary", folder / "words.prof"), "no note")

    text = said("-DPGOKIT_TRAIN=sh -c './words 1000; exit 3'", "-DPGOKIT_TARGET=words")
    text = run("cmake", "--build", build, "--target", "words-train", fails=True)
    expect("exit 3' ended with exit code 3" in text and "|| true" in text, f"a command that fails is told: {text}")


def cmake_kinds():
    """ThinLTO, profiles by lines, several targets with one profile, orders; and what is refused."""
    folder = copy_of("cmake", "of all kinds")  # with blanks
    lists = folder / "CMakeLists.txt"
    start = PROJECT.replace("project(words C)", "project(words C)\nfind_package(pgokit REQUIRED)")
    lists.write_text(start + 'set_target_properties(words counting PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)\n'
                     'add_library(shared SHARED words.c)\n'
                     'pgokit_profile(words counting shared PROFILE made/words.prof BY lines TRAIN "words 300000" MAX_STALE 20)\n')
    build = folder / "build"
    configure(folder, build, "Ninja", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld", "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld")
    run("cmake", "--build", build)
    run("cmake", "--build", build, "--target", "words-train")
    compilations()
    said = run("cmake", "--build", build)
    expect("verdict" in said, said)
    # LTO has inlined what main() calls, and so does the profile.
    calls = compilations("main.c")
    expect(len(calls) == 1 and "-flto=thin" in calls[0] and "-fpseudo-probe-for-profiling" not in calls[0], calls)
    expect(entry_count(calls[0], "main"), calls)
    expect(re.search("-fprofile-sample-use=", run("ninja", "-C", build, "-t", "commands", "words").splitlines()[-1]), "of the link too")

    lists.write_text(start + 'pgokit_profile(words PROFILE made/words.prof TRAIN "words 1")\n')
    said = configure(folder, build, "Ninja")
    expect("is by lines, not by probes" in said, said)
    run("cmake", "--build", build, "--target", "words-train")
    run("cmake", "--build", build)

    lists.write_text(start + 'pgokit_profile(words counting PROFILE made/ordered.prof ORDER made/words.order TRAIN "words 3000")\n')
    said = configure(folder, build, "Ninja")
    for target in ("words", "words-train", "words"):
        said = run("cmake", "--build", build, "--target", target)
    expect("main" in (folder / "made/words.order").read_text().split(), "an order beside the profile")
    expect("--symbol-ordering-file=" in run("ninja", "-C", build, "-t", "commands", "words").splitlines()[-1], "linked in it")

    # Most of its samples are of a function that is not there.
    (folder / "made/words.prof").write_text("count_word:100:10\n 1: 10\nvanished:900:10\n 1: 10\n")
    lists.write_text(start + "pgokit_profile(words counting PROFILE made/words.prof BY lines MAX_STALE 20)\n")
    configure(folder, build, "Ninja")
    said = run("cmake", "--build", build, fails=True)
    expect("BAD: stale" in said, said)

    for line, why in (("pgokit_profile(words)", "wants targets and a profile"), ("pgokit_profile(other PROFILE a)", "no target other"),
                      ("pgokit_profile(words PROFILE build/words)", "a program, not a profile")):
        lists.write_text(start + line + "\n")
        said = run("cmake", "-S", folder, "-B", build, fails=True)
        expect(why in " ".join(said.split()), said)

    lists.write_text(start.replace("project(words C)", "project(words)") + "pgokit_profile(words PROFILE words.prof)\n")
    if shutil.which("g++"):
        said = run("cmake", "-S", folder, "-B", folder / "mixed", "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=g++",
                   f"-DCMAKE_PREFIX_PATH={PREFIX}", fails=True)
        expect("C is compiled by Clang and C++ by GNU" in " ".join(said.split()), said)


def cmake_gcc():
    if not shutil.which("gcc-12"):
        skip("gcc-12 is not installed")
    folder = copy_of("cmake")
    build = folder / "build"
    configure(folder, build, "Ninja", compiler="gcc-12")
    for target in ("words", "words-train", "words"):
        run("cmake", "--build", build, "--target", target)
    calls = compilations()
    expect(any(word.startswith("-fauto-profile=") for word in calls[-1]), calls)


MESON = "project('words', 'c', default_options: ['buildtype=release'])\nexecutable('words', 'main.c', 'words.c')\n"


def styles():
    """Files for projects that know nothing of pgokit: a native file of Meson, and one of clang for make."""
    for tool in ("meson", "ninja", "make"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    profile = FOLDER / "words.prof"
    for word in ("profile", f"use={profile}"):
        folder = copy_of("meson")
        (folder / "meson.build").write_text(MESON)
        distribution = {"CFLAGS": "-fstack-protector-strong '-DDISTRO=a b'", "LDFLAGS": "-Wl,-z,now"}
        (folder / "pgokit.ini").write_text(run("pgokit", "flags", word, "--style", "meson", cwd=folder, env=distribution))
        run("meson", "setup", "build", "--native-file", "pgokit.ini", cwd=folder, env={"CC": "clang-22", **distribution})
        run("meson", "compile", "-C", "build", cwd=folder)
        calls = compilations()
        expect({"-fstack-protector-strong", "-DDISTRO=a b"} <= set(calls[-1]), f"Meson: what the distribution wants is there too: {calls}")
        expect("BIND_NOW" in run("readelf", "-dW", folder / "build/words"), "in the link too")
        expect(bool(entry_count(calls[-1])) == profile.exists(), f"Meson: the profile is used if it is there: {calls}")

        folder = copy_of("make")
        (folder / "Makefile").write_text("words: main.o words.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n")
        (folder / "pgokit.cfg").write_text(run("pgokit", "flags", word, "--style", "clang-config", cwd=folder))
        run("make", f"CC=clang-22 --config={folder}/pgokit.cfg", "CFLAGS=-O2 -Werror", "LDFLAGS=-Werror", cwd=folder)
        calls = compilations()
        expect(bool(entry_count(calls[-1])) == profile.exists(), f"clang-config: the profile is used if it is there: {calls}")
        if not profile.exists():
            run("pgokit", "record", "--exact", "-q", "-o", "words.perf", "--", "./words", "100000", cwd=folder)
            run("pgokit", "generate", "-q", "words.perf", "-b", "words", "-o", profile, cwd=folder)


def layout():
    """By the flags alone: a profile, a recording of its blocks, and their layout."""
    folder = copy_of("make")

    def build(program, *words):
        flags = {part: run("pgokit", "flags", *words, f"--{part}", cwd=folder).split() for part in ("compile", "link")}
        run("clang-22", "-O2", *flags["compile"], "main.c", "words.c", *flags["link"], "-o", program, cwd=folder)
        run("pgokit", "record", "--exact", "-q", "-o", f"{program}.perf", "--", f"./{program}", "100000", cwd=folder)

    build("plain", "profile", "--by", "lines")
    run("pgokit", "generate", "-q", "plain.perf", "-b", "plain", "-o", "words.prof", cwd=folder)
    build("mapped", "use=words.prof", "--by", "blocks")
    run("pgokit", "generate", "-q", "mapped.perf", "-b", "mapped", "--for", "propeller", "-o", "words", cwd=folder)
    build("laid-out", "use=words.prof", "use=words.clusters")
    expect(" main.cold\n" in run("llvm-nm-22", "laid-out", cwd=folder), "what did not run lies apart")


CASES = {"example_cmake": example("cmake", "ninja"), "example_make": example("make", "make"), "example_meson": example("meson", "meson", "ninja"),
         "example_autotools": example("autotools", "autoreconf", "make"), "cmake_rebuilds": cmake_rebuilds, "cmake_unchanged": cmake_unchanged,
         "cmake_training": cmake_training, "cmake_kinds": cmake_kinds, "cmake_gcc": cmake_gcc, "styles": styles, "layout": layout}
prepare()
CASES[CASE]()
print("built with profiles")
