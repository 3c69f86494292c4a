"""The flags of `pgokit flags` in the hands of build systems: a program, a static and a shared library, each instrumented."""
import os
import shlex
import shutil

import mip
import tools
from tools import run

SOURCES = {
    "main.c": "int helped(int);\nint shared(int);\nint main(void) { return helped(1) + shared(2) != 23; }\n",
    "helper.c": "int helped(int n) { return n * 3; }\n",
    "shared.cc": 'extern "C" int shared(int n) { return n * 10; }\n',
    # The compiler's flags go to the assembler too.
    "assembled.S": "#define NAME assembled\n.globl NAME\nNAME: ret\n.section .note.GNU-stack,\"\"\n",
}
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(example C CXX ASM)
include(CheckFunctionExists)
check_function_exists(printf HAS_PRINTF)
if(NOT HAS_PRINTF)
  message(FATAL_ERROR "checks are broken")
endif()
add_compile_options(-Wall -Wextra -Werror)
add_subdirectory(inner)
add_library(shared SHARED shared.cc)
add_executable(app main.c assembled.S)
target_link_libraries(app PRIVATE helper shared)
"""
INNER = "project(inner C)\nadd_library(helper STATIC ../helper.c)\n"
MESON = """project('example', 'c', 'cpp', default_options: ['werror=true', 'warning_level=2'])
if not meson.get_compiler('c').has_function('printf')
  error('checks are broken')
endif
helper = static_library('helper', 'helper.c')
shared = shared_library('shared', 'shared.cc')
executable('app', 'main.c', 'assembled.S', link_with: [helper, shared])
"""
CONFIGURE = """AC_INIT([example], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_PROG_CXX
AM_PROG_AS
AC_PROG_RANLIB
AM_PROG_AR
AC_CHECK_FUNCS([printf], [], [AC_MSG_ERROR([checks are broken])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""
AUTOMAKE = """noinst_LIBRARIES = libhelper.a
libhelper_a_SOURCES = helper.c
bin_PROGRAMS = app
app_SOURCES = main.c shared.cc assembled.S
app_LDADD = libhelper.a
"""
MAKE = """ASFLAGS = $(CFLAGS)
app: main.o helper.o shared.o assembled.o
\t$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
"""
C, CXX = "clang-22", "clang++-22"


def project(build, *files):
    folder = build.path("project")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "inner"))
    for name, text in {**SOURCES, **dict(files)}.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return folder


def spaced(build):
    """The library in a folder whose name wants to be quoted."""
    folder = build.path("a 'library' folder")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for each in ("pgokit-plugin.so", "libpgokit_rt.a"):
        shutil.copy(os.path.join(build.lib, each), folder)
    os.symlink("pgokit-plugin.so", os.path.join(folder, "pgokit-plugin"))
    return folder


def flags(build, *arguments, lib=None, out=None):
    pgokit = os.path.join(build.lib, "..", "..", "bin", "pgokit")
    text = run([pgokit, "flags", "calls,targets", *arguments, "--lib-dir", lib or build.lib]).stdout
    if out:
        with open(out, "w", encoding="utf-8") as file:
            file.write(text)
    return text.strip()


def check(program, cwd, modules):
    """Every function of the project is in a map, and ran once."""
    out = os.path.join(cwd, "out.mipraw")
    run([program], env={"PGOKIT_PROFILE_FILE": out}, cwd=cwd)
    dumps = mip.read_dumps(out)
    assert len(dumps) == modules and all(each.crc_ok for each in dumps), dumps
    calls = {}
    for dump in dumps:
        for function in mip.read_map(mip.section(dump.path, "__llvm_mipmap")):
            calls[function.name] = mip.counts_of(function, dump.raw).calls
    assert calls == {"main": 1, "helped": 1, "shared": 1}, calls


def cmake(build):
    tools.need("cmake", "ninja")
    folder = project(build, ("CMakeLists.txt", CMAKE), ("inner/CMakeLists.txt", INNER))
    style = os.path.join(folder, "pgokit.cmake")
    flags(build, "--style", "cmake", lib=spaced(build), out=style)
    common = ["-DCMAKE_C_COMPILER=" + C, "-DCMAKE_CXX_COMPILER=" + CXX]
    for generator in ("Ninja", "Unix Makefiles"):
        for way in ("include", "top"):
            if way == "top":  # the lines themselves, right behind project()
                with open(style, encoding="utf-8") as file:
                    text = CMAKE.replace("CXX ASM)\n", "CXX ASM)\n" + file.read())
                with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
                    file.write(text)
            out = os.path.join(folder, generator[:1] + way)
            run(["cmake", "-G", generator, "-S", folder, "-B", out, *common,
                 *([f"-DCMAKE_PROJECT_INCLUDE={style}"] if way == "include" else [])])
            run(["cmake", "--build", out])
            check(os.path.join(out, "app"), out, 2)
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(CMAKE)
    # Behind the targets they would do nothing: not in silence.
    with open(style, encoding="utf-8") as file, open(os.path.join(folder, "CMakeLists.txt"), "a", encoding="utf-8") as lists:
        lists.write(file.read())
    result = run(["cmake", "-S", folder, "-B", os.path.join(folder, "late"), *common], check=False)
    assert result.returncode and "would not get" in result.stderr, result.stderr


def meson(build):
    tools.need("meson", "ninja")
    folder = project(build, ("meson.build", MESON))
    style = os.path.join(folder, "pgokit.ini")
    flags(build, "--style", "meson", lib=spaced(build), out=style)
    out = os.path.join(folder, "out")
    run(["meson", "setup", "--native-file", style, out], cwd=folder, env={"CC": C, "CXX": CXX})
    run(["ninja", "-C", out])
    check(os.path.join(out, "app"), out, 2)


def autotools(build):
    """The lines for $(...), with GNU ld, which wants the run time behind the libraries; and the configuration file."""
    tools.need("autoconf", "automake", "aclocal", "make")
    folder = project(build, ("configure.ac", CONFIGURE), ("Makefile.am", AUTOMAKE))
    run(["autoreconf", "-i"], cwd=folder)
    style = os.path.join(folder, "pgokit.cfg")
    flags(build, "--style", "clang-config", out=style)
    compile, link = flags(build, "--compile"), flags(build, "--link")
    for name, settings in (("lines", [f"CC={C}", f"CXX={CXX}", f"CFLAGS=-O2 {compile}", f"CXXFLAGS=-O2 {compile}", f"LIBS={link}"]),
                           ("file", [f"CC={C} --config={style}", f"CXX={CXX} --config={style}"]),
                           ("style", [f"CC={C}", f"CXX={CXX}", *shlex.split(flags(build, "--style", "autotools"))])):
        out = os.path.join(folder, name)
        os.makedirs(out)
        run([os.path.join(folder, "configure"), *settings], cwd=out)
        run(["make"], cwd=out)
        check(os.path.join(out, "app"), out, 1)


def make(build):
    tools.need("make")
    folder = project(build, ("Makefile", MAKE))
    compile, link = flags(build, "--compile"), flags(build, "--link")
    run(["make", f"CC={C}", f"CXX={CXX}", f"CFLAGS=-O2 {compile}", f"CXXFLAGS=-O2 {compile}", f"LDLIBS={link}"], cwd=folder)
    check(os.path.join(folder, "app"), folder, 1)
    folder = project(build, ("Makefile", "include pgokit.mk\n" + MAKE))
    flags(build, "--style", "make", lib=spaced(build), out=os.path.join(folder, "pgokit.mk"))
    run(["make", "app", f"CC={C}", f"CXX={CXX}"], cwd=folder)
    check(os.path.join(folder, "app"), folder, 1)


def clang_config(build):
    """One file instruments any build by its compiler: CMake's, Meson's, make's; also from a folder with blanks, and with LTO."""
    tools.need("cmake", "ninja", "meson", "make")
    lib, style, lto = spaced(build), build.path("pgokit.cfg"), build.path("lto.cfg")
    flags(build, "--style", "clang-config", lib=lib, out=style)
    flags(build, "--style", "clang-config", "--lto", lib=lib, out=lto)
    for file, more in ((style, ""), (lto, " -flto -fuse-ld=lld-22")):
        folder = project(build, ("Makefile", MAKE))
        run(["make", f"CC={C} --config={file}{more}", f"CXX={CXX} --config={file}{more}", "CFLAGS=-O1 -fno-inline"], cwd=folder)
        check(os.path.join(folder, "app"), folder, 1)
    folder = project(build, ("CMakeLists.txt", CMAKE), ("inner/CMakeLists.txt", INNER))
    env = {"CC": f"{C} --config={style}", "CXX": f"{CXX} --config={style}"}
    run(["cmake", "-S", folder, "-B", os.path.join(folder, "out")], env=env)
    run(["cmake", "--build", os.path.join(folder, "out")])
    check(os.path.join(folder, "out", "app"), os.path.join(folder, "out"), 2)
    folder = project(build, ("meson.build", MESON))
    run(["meson", "setup", "out"], cwd=folder, env=env)
    run(["ninja", "-C", "out"], cwd=folder)
    check(os.path.join(folder, "out", "app"), os.path.join(folder, "out"), 2)
    # Where nothing is linked the rest of the file says nothing.
    quiet = run([C, f"--config={style}", "-Werror", "-E", "-x", "c", os.devnull])
    assert not quiet.stderr, quiet.stderr


def other_clang(build):
    """What says of itself that it is a clang that has no plugin here."""
    path = build.path("clang-19")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho 'Debian clang version 19.1.7 (3)'\n")
    os.chmod(path, 0o755)
    return path


def refusals(build):
    """What the tool refuses, with the way out."""
    pgokit = os.path.join(build.lib, "..", "..", "bin", "pgokit")
    lib = spaced(build)
    os.unlink(os.path.join(lib, "pgokit-plugin"))
    for arguments, complaint in ((["--style", "scons"], "there are cmake, meson, make, autotools"),
                                 (["--style", "bazel"], "is for profiles"), (["--style", "cargo"], "is for profiles"),
                                 (["--lib-dir", lib], "which $(...) divides: use --style"),
                                 (["--lib-dir", lib, "--style", "meson"], "ln -s pgokit-plugin.so"),
                                 (["--bare", "--small"], "two different run times"),
                                 (["--clang", "/nonexistent/clang"], "cannot be run: No such file"),
                                 (["--clang", "false"], "ends with exit code 1"),
                                 (["--clang", "python3"], "does not name a clang"),
                                 (["--clang", "clang-22", "--lib-dir", lib], "install the package pgokit-llvm-22"),
                                 (["--clang", other_clang(build)], "made for LLVM 22 (package pgokit-llvm-22)")):
        result = run([pgokit, "flags", "calls", *arguments], check=False)
        assert result.returncode in (1, 2) and complaint in result.stderr and not result.stdout, result


if __name__ == "__main__":
    tools.main({"cmake": cmake, "meson": meson, "autotools": autotools, "make": make, "clang_config": clang_config,
                "refusals": refusals})
