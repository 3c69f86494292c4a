#!/usr/bin/env python3
"""caches.py PGOKIT FOLDER: what docs/build-systems.md says of ccache and of ThinLTO."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PGOKIT, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PLUGIN = PGOKIT.parent.parent / "lib/pgokit/pgokit-plugin.so"
SKIPPED = 77
LINES = ("-O2", "-g", "-fdebug-info-for-profiling")
MAIN = """int work(int);
int main(int argc, char **argv) {
  int s = 0;
  for (int i = 0; i < argc * 1000; i++)
    s += work(i);
  return s == 3;
}
"""
WORK = """int helper(int x);
__attribute__((cold)) static int rare(int x);
int work(int x) {
  if (x % 7 == 0) { for (int i = 0; i < x; i++) x += helper(i) * helper(x) + helper(x * i); return rare(x); }
  for (int i = 0; i < 9; i++) x ^= helper(x) << i;
  return helper(x) * helper(x + 1) + helper(x + 2);
}
static int rare(int x) { return x * 7 + 1; }
"""
HELPER = "int helper(int x) { return x + 3; }\n"
PROFILE = """main:10000000:10
 3: 1000000
 4: 1000000 work:1000000
 4: work:9000000
  1: 1000000
  3: 9000000
  3: helper:9000000
   0: 9000000
  4: 1000000
helper:5000:990
 0: 990
"""
OBJECTS = ("main.o", "work.o", "helper.o")


# Without what says how this one is to be built, such as CCACHE_DISABLE.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}


def run(*words, env=None):
    done = subprocess.run([str(word) for word in words], cwd=FOLDER, text=True, capture_output=True, check=False,
                          env={**ENVIRONMENT, "CCACHE_DIR": str(FOLDER / "cache"), "CCACHE_CONFIGPATH": os.devnull, **(env or {})})
    if done.returncode:
        sys.exit(f"{words}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def is_cached(*options, extra=""):
    """Whether a compilation is taken from the cache."""
    def hits():
        return sum(int(count) for count in re.findall(r"^(?:direct|preprocessed)_cache_hit\t(\d+)$", run("ccache", "--print-stats"), re.M))
    before = hits()
    run("ccache", "clang-22", *options, "-c", "work.c", "-o", "work.o", env={"CCACHE_EXTRAFILES": extra} if extra else {})
    return hits() > before


def check_cache(what, file, contents, *options, sees, extra=""):
    """A file with other contents is a miss where ccache sees it; else only where it is told."""
    for each in contents:
        (FOLDER / file).write_bytes(each)
        found = [is_cached(*options) for _ in range(2)]
        expect(found[1], f"{what}: the same is found")
    if not sees:
        expect(found[0], f"{what}: ccache does not see it, or does so now: the page says otherwise")
    else:
        expect(not found[0], f"{what}: other contents are a miss")
    for each in contents if extra else ():
        (FOLDER / file).write_bytes(each)
        expect(not is_cached(*options, extra=extra), f"{what}: other contents are a miss with {extra}")


def ccache():
    profiles = [PROFILE.encode(), PROFILE.replace("990", "991").encode()]
    check_cache("a profile", "app.prof", profiles, *LINES, "-fprofile-sample-use=app.prof", sees=True)
    check_cache("a profile of GCC's option", "app.prof", profiles, *LINES, "-fauto-profile=app.prof", sees=True)
    check_cache("a layout", "app.clusters", [b"v1\nf work\nc0\n", b"v1\nf rare\nc0\n"], "-O2", "-ffunction-sections",
                "-fbasic-block-sections=list=app.clusters", sees=False, extra="app.clusters")
    config = f"--config={FOLDER}/app.cfg"
    (FOLDER / "app.cfg").write_text(f"-g\n-fprofile-sample-use={FOLDER}/app.prof\n")
    check_cache("a profile in a configuration file", "app.prof", profiles, "-O1", config, sees=False, extra="app.cfg:app.prof")
    if not PLUGIN.exists():
        return
    shutil.copy(PLUGIN, FOLDER / "plugin.so")
    uses = [b"# pgokit use 4\nfunction - work\ncold\n", b"# pgokit use 4\nfunction - work\nhot 7\n"]
    use = (f"-fpass-plugin={FOLDER}/plugin.so", "-Xclang", "-mllvm", "-Xclang", "-pgokit-use=app.use")
    check_cache("targets", "app.use", uses, "-O2", *use, sees=False, extra="app.use:plugin.so")
    plugin = PLUGIN.read_bytes()
    check_cache("the plugin", "plugin.so", [plugin, plugin + b"x"], "-O1", *use, sees=False, extra="plugin.so")


def size_of_main(program):
    return int(re.search(r"^\w+ (\w+) T main$", run("llvm-nm-22", "-S", program), re.M)[1], 16)


def thin_lto():
    use, link = "-fprofile-sample-use=app.prof", ("clang-22", "-O2", "-flto=thin", "-fuse-ld=lld")
    sources = ("main.c", "work.c", "helper.c")
    (FOLDER / "app.prof").write_text(PROFILE)
    run("clang-22", *LINES, "-flto=thin", use, "-c", *sources)
    run(*link, use, *OBJECTS, "-o", "both")
    run(*link, *OBJECTS, "-o", "compiled")
    print(f"main: {size_of_main(FOLDER / 'both')} bytes, {size_of_main(FOLDER / 'compiled')} without the profile in the link")
    expect(size_of_main(FOLDER / "both") != size_of_main(FOLDER / "compiled"), "the link wants the profile too")
    run(*link, "-Wl,--thinlto-index-only", *OBJECTS, "-o", "nothing")
    backend = ("clang-22", "-O2", "-fthinlto-index=main.o.thinlto.bc", "-x", "ir", "main.o", "-c", "-o")
    run(*backend, "plain.o")
    run(*backend, "used.o", use, "-fno-sample-profile-use-profi")
    expect(size_of_main(FOLDER / "plain.o") == size_of_main(FOLDER / "compiled"), "a backend without the profile is like a link without")
    expect(size_of_main(FOLDER / "used.o") == size_of_main(FOLDER / "both"), "a backend with the profile is like the link with it")

    cache = (f"-Wl,--thinlto-cache-dir={FOLDER}/lto", "-Wl,--build-id=none")
    run(*link, *cache, use, *OBJECTS, "-o", "both")
    (FOLDER / "app.prof").write_text("main:1:1\n 1: 1\n")
    run(*link, *cache, use, *OBJECTS, "-o", "other")
    run(*link, use, "-Wl,--build-id=none", *OBJECTS, "-o", "fresh")
    expect((FOLDER / "other").read_bytes() == (FOLDER / "fresh").read_bytes() != (FOLDER / "both").read_bytes(), "lld's cache sees the profile")

    run("clang-22", *LINES, "-flto=thin", "-c", *sources)
    (FOLDER / "app.prof").write_text(PROFILE)
    run(*link, use, *OBJECTS, "-o", "linked")
    run(*link, *OBJECTS, "-o", "plain")
    expect((FOLDER / "linked").read_bytes() == (FOLDER / "plain").read_bytes(), "the link alone does nothing")
    run("clang-22", *LINES, "-c", *sources)
    run("clang-22", "-Werror", "-Wl,--build-id", use, *OBJECTS, "-o", "plain")


def main():
    for tool in ("ccache", "clang-22", "ld.lld-22", "llvm-nm-22"):
        if not shutil.which(tool):
            print(f"SKIPPED: {tool} is not installed")
            return SKIPPED
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for name, text in (("main.c", MAIN), ("work.c", WORK), ("helper.c", HELPER)):
        (FOLDER / name).write_text(text)
    thin_lto()
    ccache()
    print("caches and links as the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
