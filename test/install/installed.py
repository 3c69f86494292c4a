"""installed.py BUILD FOLDER: what `cmake --install BUILD` puts into FOLDER works, also after it was
moved: the program, the links for LLVM's tools, and the CMake package in a project of its own."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
from links import dead_links  # noqa: E402

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(example C)
find_package(pgokit 0.2 REQUIRED)
add_library(helper STATIC helper.c)
add_executable(app main.c)
target_link_libraries(app PRIVATE helper)
pgokit_instrument(helper calls)
pgokit_instrument(app calls)
add_custom_target(version COMMAND pgokit::pgokit --version)
"""
SOURCES = {
    "CMakeLists.txt": PROJECT,
    "helper.c": "int helped(int n) { return n * 3; }\n",
    "main.c": "#include <pgokit.h>\nint helped(int);\n"
              "int main(void) { return helped(7) != 21 || pgokit_dump(); }\n",
}


def run(*command, **options):
    """What a command prints; its failure is the test's."""
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def install(build, folder):
    """Installs, and moves the tree to where nobody said that it would be."""
    shutil.rmtree(folder, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", folder / "first")
    root = folder / "moved"
    (folder / "first").rename(root)
    return root


def check_programs(root):
    version = run(root / "bin/pgokit", "--version")
    expect(version.startswith("pgokit "), version)
    for tool in ("llvm-profgen", "llvm-profdata", "perf2bolt", "create_llvm_prof", "generate_propeller_profiles", "create_gcov",
                 "profile_merger"):
        help_text = run(root / "lib/pgokit/bin" / tool, "--help")
        expect(tool in help_text, f"{tool} answers by its name: {help_text}")
    help_text = run(root / "bin/cargo-pgokit", "pgokit", "--help")
    expect("cargo pgokit" in help_text, f"cargo finds it: {help_text}")
    pages = {path.name for path in (root / "share/man/man1").iterdir()}
    expect({"pgokit.1", "pgokit-show.1", "pgokit-probes-dump.1", "cargo-pgokit.1"} <= pages, f"{pages} are there")
    for name in ("share/bash-completion/completions/pgokit", "share/zsh/site-functions/_pgokit",
                 "share/fish/vendor_completions.d/pgokit.fish", "include/pgokit.h", "share/doc/pgokit/LICENSE", "share/doc/pgokit/README.md",
                 "lib/cmake/pgokit/pgokitConfig.cmake"):
        expect((root / name).is_file(), f"{name} is there")


def check_documents(root):
    """Links work there too, and the examples are those of the sources, without what builds leave."""
    documents = root / "share/doc/pgokit"
    dead = list(dead_links(documents))
    expect(not dead, "no link is dead:\n" + "\n".join(dead))
    there = {path.relative_to(documents / "examples"): path for path in (documents / "examples").rglob("*") if not path.is_dir()}
    listed = subprocess.run(["git", "ls-files", "."], cwd=ROOT / "examples", text=True, capture_output=True, check=False).stdout.split()
    here = {pathlib.Path(name) for name in listed} - {pathlib.Path("demo.py")}
    expect(not here or here == set(there), f"the examples: {sorted(here ^ set(there))}")
    for name, path in there.items():
        source = ROOT / "examples" / name
        expect(path.read_bytes() == source.read_bytes(), f"{name} is that of the sources")
        expect(path.stat().st_mode & 0o111 == source.stat().st_mode & 0o111, f"{name} has its mode")


def check_package(root, folder):
    project = folder / "project"
    project.mkdir()
    for name, text in SOURCES.items():
        (project / name).write_text(text)
    build = project / "build"
    run("cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={root}",
        "-DCMAKE_C_COMPILER=clang-22")
    run("cmake", "--build", build)
    expect("pgokit " in run("cmake", "--build", build, "--target", "version"), "the target runs")
    flags = run(root / "bin/pgokit", "flags", "calls", "--clang", "clang-22", "--compile")
    expect(str(root / "lib/pgokit/llvm-22/pgokit-plugin.so") in flags, f"the plugin of clang-22: {flags}")
    run(build / "app", env={"PGOKIT_PROFILE_FILE": str(folder / "app.mipraw")})
    pgokit = root / "bin/pgokit"
    run(pgokit, "map", build / "app", "-o", folder / "app.map")
    run(pgokit, "merge", folder / "app.map", folder / "app.mipraw", "-o", folder / "app.mip")
    shown = run(pgokit, "show", folder / "app.mip")
    expect("helped" in shown and "main" in shown, f"both functions are counted:\n{shown}")


def main():
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    root = install(build, folder)
    check_programs(root)
    check_documents(root)
    if not shutil.which("clang-22") or not (root / "lib/pgokit/pgokit-plugin.so").exists():
        print("SKIPPED: clang-22 and the plugin are needed for the project")
        sys.exit(77)
    check_package(root, folder)
    print("installed, moved, and used by a project")


main()
