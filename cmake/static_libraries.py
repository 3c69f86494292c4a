"""static_libraries.py FOLDER [CMAKE-OPTION...]: builds the libraries of which Debian has no static ones (fmt and Zydis) from its source
packages, and installs them in FOLDER. The options are those of a cross build: -DCMAKE_TOOLCHAIN_FILE=FILE.
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench/support"))
import source_package  # noqa: E402

# Source packages. Zydis calls nothing of Zycore, of which there are headers (libzycore-dev).
LIBRARIES = {
    "fmtlib": ["-DFMT_TEST=OFF", "-DFMT_DOC=OFF"],
    "zydis": ["-DZYAN_SYSTEM_ZYCORE=ON", "-DZYDIS_BUILD_SHARED_LIB=OFF", "-DZYDIS_BUILD_EXAMPLES=OFF", "-DZYDIS_BUILD_TOOLS=OFF",
              "-DZYDIS_BUILD_DOXYGEN=OFF"],
}
COMPILER = ["-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22"]


def run(*words):
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"static_libraries.py: {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}")


def build(name, folder, options):
    source, out = folder / "sources" / name, folder / "builds" / name
    source_package.unpack(name, ROOT / "build/sources" / name, source)
    run("cmake", "-G", "Ninja", "-S", source, "-B", out, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_POSITION_INDEPENDENT_CODE=ON",
        "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_INSTALL_PREFIX={folder}", f"-DCMAKE_FIND_ROOT_PATH={folder}",
        f"-DCMAKE_PREFIX_PATH={folder}", *options, *LIBRARIES[name])
    run("cmake", "--build", out)
    run("cmake", "--install", out)


def main():
    folder, options = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or COMPILER
    try:
        versions = {name: source_package.version(name, ROOT / "build/sources" / name) for name in LIBRARIES}
        wanted = f"{versions} {options} {LIBRARIES}"
        complete = folder / "complete"
        if complete.exists() and complete.read_text(encoding="utf-8") == wanted:
            return
        shutil.rmtree(folder, ignore_errors=True)
        for name in LIBRARIES:
            build(name, folder, options)
    except source_package.Missing as missing:
        sys.exit(f"static_libraries.py: {missing}")
    for name in ("sources", "builds"):
        shutil.rmtree(folder / name)
    complete.write_text(wanted, encoding="utf-8")


main()
