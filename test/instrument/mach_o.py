"""Mach-O for arm64 and x86_64: compiled, linked by ld64.lld, read, and run without Apple's system: in an ELF file with the same
segments at the same addresses, whose code makes system calls of Linux."""
import collections
import functools
import json
import os
import re
import struct

import machines
import mip
import tools
from tools import run

Machine = collections.namedtuple("Machine", "arch target number native runner start")
MACHINES = {
    "arm64": Machine("arm64", "arm64-apple-macos13", 183, ["--target=aarch64-linux-gnu"], ["qemu-aarch64"],
                     "mov x0, sp\\n bl _start_here\\n"),
    "x86_64": Machine("x86_64", "x86_64-apple-macos13", 62, [], [], "movq %rsp, %rdi\\n andq $-16, %rsp\\n call _start_here\\n"),
}
BARE = ["count.c", "first_run.c", "order_log.c", "values.c", "value_entry.c", "image_mach_o.c", "core.c"]

# Statics, a weak function of both files, one that nothing calls, calls through a table, loops, and what all counts are of.
SHARED = """
typedef int (*fn)(int);
__attribute__((noinline)) static int local(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline, weak)) int shared(int n) { __asm__ volatile(""); return n * 3 + local(n); }
"""
FIRST = machines.BARE.partition("__attribute__((used)) void start_here")[0] + """
void native_bzero(void* at, size_t size) __asm__("___bzero");
void native_bzero(void* at, size_t size) { memset(at, 0, size); }
""" + SHARED + """
int other(int);
int square(int n) { return n * n; }
int twin(int n) { return n ^ 21; }
struct row { fn call; long size; };
const struct row table[] = {{square, 3}, {twin, 5}, {local, 8}};
__attribute__((noinline)) int unused(int n) { return square(n) + never(n); }
__attribute__((noinline)) int loop(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i % 3 ? square(i) : twin(s); return s; }
__attribute__((noinline)) int indirect(const struct row* row, int n) { return row->call(n); }
__attribute__((noinline)) void copy(char* to, const char* from, size_t n) { memcpy(to, from, n); }
__attribute__((used)) void start_here(long* stack) {
  static char from[64], to[64];
  if (stack[0] > 100) never(1);
  int s = twice(1) + loop(30) + shared(4) + other(5);
  for (int i = 0; i < 20; ++i) s += indirect(table + (i % 10 == 0 ? 2 : i % 2), i);
  for (int i = 0; i < 9; ++i) copy(to, from, i % 3 ? 16 : 40);
  call(EXIT, pgokit_write(to_output, 0), s == 1 ? 1 : 0, 0);
}
__asm__(".globl START\\nSTART: ENTER");
"""
VALUES = [("10", "twin"), ("8", "square"), ("2", "local"), ("10", "table+16"), ("8", "table"), ("2", "table+32"), ("6", "16"), ("3", "40")]
SECOND = SHARED + "int other(int n) { return shared(n) + local(n) + local(2); }\n"


def need(machine):
    tools.need("ld64.lld-22", "llvm-ar-22", *machine.runner)


def source(build, name, text):
    with open(build.path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return build.path(name)


def sources(build, machine, start):
    enter = machine.start if start == "start" else machine.start.replace("_start_here", "start_here")
    return [source(build, "first.c", FIRST.replace("START", start).replace("ENTER", enter)), source(build, "second.c", SECOND)]


def runtime(build, machine):
    build.target = [f"--target={machine.target}"]
    return machines.runtime(build, BARE, "-ffreestanding", "-fno-stack-protector", "-DPGOKIT_BARE", name="libbare.a")


def linked(build, machine, objects, *more, name="app", entry=("-e", "start")):
    out = build.path(name)
    done = run(["ld64.lld-22", "-arch", machine.arch, "-platform_version", "macos", "13", "13", *entry, *objects, *more, "-o", out])
    assert not done.stderr, done.stderr
    return out


def compiled(build, machine, kinds, *flags, options=()):
    objects = []
    for each in sources(build, machine, "start"):
        objects.append(each + ".o")
        run(["clang-22", f"--target={machine.target}", *flags, "-ffreestanding", "-fno-stack-protector", "-I", tools.ROOT,
             *build.flags(kinds, *options), "-c", each, "-o", objects[-1]])
    return objects


def commands(image):
    """(kind, offset) of the load commands."""
    at = 32
    for _ in range(struct.unpack_from("<I", image, 16)[0]):
        kind, size = struct.unpack_from("<II", image, at)
        yield kind, at
        at += size


def as_elf(program, number):
    """The file with the same bytes at the same addresses that Linux loads."""
    with open(program, "rb") as file:
        image = file.read()
    segments, text, entry = [], None, None
    for kind, at in commands(image):
        if kind == 0x19:
            name = image[at + 8:at + 24].rstrip(b"\0")
            address, size, offset, in_file, _, protection = struct.unpack_from("<QQQQII", image, at + 24)
            text = address if name == b"__TEXT" else text
            if protection and size:
                segments.append((address, size if protection & 2 else in_file, image[offset:offset + in_file], protection))
        if kind == 0x80000028:
            entry, = struct.unpack_from("<Q", image, at + 8)
    page = 0x4000
    body, headers, at = b"", b"", page
    for address, size, data, protection in segments:
        flags = protection >> 2 & 1 | protection & 2 | (protection & 1) << 2
        headers += struct.pack("<IIQQQQQQ", 1, flags, at, address, address, len(data), size, page)
        data += bytes(-len(data) % page)
        body += data
        at += len(data)
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, number, 1, text + entry, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    out = program + ".elf"
    with open(out, "wb") as file:
        file.write((header + headers).ljust(page, b"\0") + body)
    os.chmod(out, 0o755)
    return out


def pgokit(build, *arguments, code=0):
    result = run([os.path.join(build.lib, "..", "..", "bin", "pgokit"), *arguments], check=False)
    assert result.returncode == code, (arguments, result.stdout, result.stderr)
    return result


def dumped(build, program, runner):
    out = build.path("app.mipraw")
    with open(out, "wb") as file:
        file.write(run([*runner, program], text=False).stdout)
    record, = mip.read_dumps(out)
    assert record.crc_ok
    return out, record


def shown(build, program, dump):
    """What `pgokit show` has of each function, by name."""
    profile = build.path("app.mip")
    assert not pgokit(build, "merge", "-q", program, dump, "-o", profile).stderr
    functions = json.loads(pgokit(build, "show", profile, "--json").stdout)["programs"][0]["functions"]
    # Of a weak function ELF keeps also the definition that is not used.
    return {f["name"]: f for f in sorted(functions, key=lambda f: f.get("ran", 0))}, profile


def uuid(program):
    with open(program, "rb") as file:
        image = file.read()
    return [image[at + 8:at + 24].hex() for kind, at in commands(image) if kind == 0x1b][0]


def on_linux(build, machine, kinds, *flags, options=()):
    """The same program of ELF, as `shown` has it."""
    build.target = machine.native
    library = machines.runtime(build, ["count.c", "first_run.c", "order_log.c", "values.c", "value_entry.c", "image_elf.c", "core.c"], "-ffreestanding",
                               "-DPGOKIT_BARE", *(["-mno-outline-atomics"] if machine.number == 183 else []), name="libelf.a")
    program = build.path("native")
    run(["clang-22", *machine.native, *flags, "-ffreestanding", "-fno-stack-protector", "-nostdlib", "-static", "-fuse-ld=lld-22",
         "-Wl,--build-id", "-I", tools.ROOT, *build.flags(kinds, *options), *sources(build, machine, "_start"), library, "-o", program])
    return shown(build, program, dumped(build, program, machine.runner)[0])


def kinds(build, machine):
    """What is counted does not depend on the format: all is that of ELF, whichever kinds are collected."""
    need(machine)
    library = runtime(build, machine)
    for level in ("-O0", "-O2", "-Oz"):
        for kind, options in (("coverage", ()), ("block-coverage", ()), ("calls32", ()), ("calls,order", ()), ("blocks", ()),
                              ("blocks,calls", ("atomic", "all-blocks")), ("order-log", ()), ("order-calls", ()),
                              ("calls,targets,tables,sizes", ())):
            program = linked(build, machine, compiled(build, machine, kind, level, "-g1", options=options), library, "-no_fixup_chains")
            dump, record = dumped(build, as_elf(program, machine.number), machine.runner)
            assert record.build_id == uuid(program) and record.bias == 0 and record.machine == machine.number, record
            found, profile = shown(build, program, dump)
            targets = pgokit(build, "show", profile, "--targets").stdout if "targets" in kind else ""
            native, profile = on_linux(build, machine, kind, level, "-g1", options=options)
            assert found.keys() == native.keys(), (found.keys() ^ native.keys())
            for name, function in native.items():
                if name in ("memset", "memcpy", "to_output", "call", "pgokit_clock_ns", "___bzero", "local"):  # what a dump takes to write; two of one name
                    continue
                assert {key: found[name].get(key) for key in ("calls", "ran")} == \
                    {key: function.get(key) for key in ("calls", "ran")}, (kind, level, name, found[name], function)
            orders = [[name for name in sorted(each, key=lambda name: each[name]["rank"]) if name not in ("___bzero", "memset")]
                      for each in ({name: f for name, f in functions.items() if f.get("rank")} for functions in (found, native))]
            assert orders[0] == orders[1] and bool(orders[0]) == ("order" in kind), (kind, level, orders)
            assert found["never"]["ran"] == found["unused"]["ran"] == 0 and found["loop"]["ran"] == found["shared"]["ran"] == 1, found
            if "calls" in kind.split(","):
                assert (found["loop"]["calls"], found["shared"]["calls"], found["indirect"]["calls"]) == (1, 2, 20), found
            if targets:
                rows = [re.findall(r"^ +([\d,]+) +[\d.]+ % +(\S+)", text, re.M) for text in
                        (targets, pgokit(build, "show", profile, "--targets").stdout)]
                if ("1", "352") in rows[0]:
                    rows[0].remove(("1", "352"))  # of ___bzero, which ELF has not
                assert rows[0] == rows[1], (kind, level, rows)
                # At -O2 memcpy is inlined.
                assert sorted(rows[0]) == sorted(VALUES if level != "-O2" else VALUES[:6]), (kind, level, rows)


def sections(build, machine):
    """Where things are, by the stock tools; what the linker drops is dropped whole; a library; the map without its program."""
    need(machine)
    library = runtime(build, machine)
    objects = compiled(build, machine, "blocks,targets,tables", "-O2")
    for each in objects:
        assert "MH_SUBSECTIONS_VIA_SYMBOLS" in run(["llvm-readobj-22", "--file-headers", each]).stdout
    whole = linked(build, machine, objects, library, name="whole")
    dead = linked(build, machine, objects, library, "-dead_strip", name="dead")
    for program, gone in ((whole, False), (dead, True)):
        symbols = {name: int(address, 16) for address, kind, name in
                   re.findall(r"^(\w+) (\w) (\S+)$", run(["llvm-nm-22", program]).stdout, re.M) if kind in "tT"}
        profile = build.path("map")
        pgokit(build, "map", program, "-o", profile)
        listed = json.loads(pgokit(build, "show", profile, "--json").stdout)["programs"][0]["functions"]
        names = [f["name"] for f in listed]
        assert ("unused" in names) != gone and names.count("shared") == 1 and names.count("local") == 2, names
        for function in listed:
            if function["name"] != "local":
                assert function["address"] == symbols[function["name"] if "bzero" in function["name"] else "_" + function["name"]], function
        assert not [name for name in symbols if name.startswith("l_mip")]
        listing = run(["llvm-objdump-22", "--section-headers", program]).stdout
        assert "__llvm_mipraw" in listing and "__llvm_mipmap" in listing and "__pgokit_modules" in listing, listing
        # Nothing of the map is relocated when the program is loaded.
        relocated = run(["llvm-objdump-22", "--macho", "--dyld-info", program]).stdout
        assert "__mip_runtime" in relocated and "__LLVM_MIP" not in relocated, relocated
    # Shipped without its map, it counts the same.
    shipped, relocatable = build.path("shipped"), linked(build, machine, objects, library, "-no_fixup_chains", name="plain")
    assert "'llvm-objcopy --remove-section=__LLVM_MIP,__llvm_mipmap' takes it out" in pgokit(build, "show", relocatable).stdout
    run(["llvm-objcopy-22", "--remove-section=__LLVM_MIP,__llvm_mipmap", relocatable, shipped])
    assert "with the names" not in pgokit(build, "show", shipped).stdout
    before, after = (dumped(build, as_elf(each, machine.number), machine.runner)[1] for each in (relocatable, shipped))
    assert (before.raw, before.build_id) == (after.raw, after.build_id)
    section = mip.section(whole, "__LLVM_MIP,__llvm_mipmap")
    with open(build.path("section"), "wb") as file:
        file.write(section)
    assert "give the program" in pgokit(build, "map", build.path("section"), "-o", build.path("no.map"), code=1).stderr
    result = pgokit(build, "map", whole, "-o", build.path("no.map"), "--strip", build.path("no"), code=1)
    assert "Mach-O" in result.stderr and not os.path.exists(build.path("no")) and not os.path.exists(build.path("no.map")), result
    linked(build, machine, objects, library, "-dylib", name="lib.dylib", entry=())
    pgokit(build, "map", build.path("lib.dylib"), "-o", build.path("lib.map"))
    result = run(["ld64.lld-22", "-arch", machine.arch, "-platform_version", "macos", "13", "13", "-e", "start", *objects, "-o",
                  build.path("no")], check=False)
    assert result.returncode and "___pgokit_runtime" in result.stderr, result.stderr


def lto(build, machine):
    """Code that the linker generates, with the plugin, without which it does not link."""
    need(machine)
    library = runtime(build, machine)
    for flag in ("-flto", "-flto=thin"):
        objects = compiled(build, machine, "calls,order", "-O2", flag)
        program = linked(build, machine, objects, library, "-no_fixup_chains", f"--load-pass-plugin={build.plugin}")
        found, _ = shown(build, program, dumped(build, as_elf(program, machine.number), machine.runner)[0])
        assert (found["loop"]["calls"], found["shared"]["calls"], found["never"]["calls"]) == (1, 2, 0), found
        result = run(["ld64.lld-22", "-arch", machine.arch, "-platform_version", "macos", "13", "13", "-e", "start", *objects, library, "-o",
                      build.path("no")], check=False)
        assert result.returncode and "link_with_load_pass_plugin" in result.stderr, result.stderr


def weak(build, machine):
    """Of a function of two files the first is kept, with its counters; where that has none, it seems never to have run."""
    need(machine)
    library = runtime(build, machine)
    first, second = compiled(build, machine, "calls", "-O1")
    plain = build.path("plain.o")
    run(["clang-22", f"--target={machine.target}", "-O1", "-ffreestanding", "-c", build.path("second.c"), "-o", plain])
    for objects, calls in (((first, second), 2), ((second, first), 2), ((first, plain), 2), ((plain, first), 0)):
        program = linked(build, machine, objects, library, "-no_fixup_chains")
        found, _ = shown(build, program, dumped(build, as_elf(program, machine.number), machine.runner)[0])
        assert found["shared"]["calls"] == calls and found["loop"]["calls"] == 1, (objects, found["shared"])


NAMES = """struct Base { virtual int f(int n) { return n + 1; } virtual int g() { return 3; } };
struct Derived : Base { int f(int n) override { return n * 2; } };
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
namespace { __attribute__((noinline)) int hidden(int x) { return x ^ 3; } }
int odd(int) __asm__("-[Foo bar:baz$]");
int odd(int n) { return n + 4; }
int strange(int) __asm__("+[W x+1 y]");
__attribute__((weak)) int strange(int n) { return n - 4; }
extern "C" int start(int n) {
  Derived derived;
  Base base, *one = n > 3 ? &derived : &base;
  return one->f(n) + one->g() + twice(n) + twice(2.5f) + hidden(n) + odd(n) + strange(n);
}
"""


def names(build, machine):
    """Names that the assembler takes in quotes only, and those of C++, whose functions and tables are weak."""
    need(machine)
    library = runtime(build, machine)
    text = source(build, "names.cc", NAMES)
    run(["clang++-22", *build.target, "-O0", "-fno-exceptions", "-fno-rtti", *build.flags("blocks,order-log,targets,tables"), "-c", text, "-o", text + ".o"])
    program = linked(build, machine, [text + ".o", library], "-dead_strip", "-undefined", "dynamic_lookup", entry=("-e", "_start"))
    pgokit(build, "map", program, "-o", build.path("map"))
    listed = json.loads(pgokit(build, "show", build.path("map"), "--json").stdout)["programs"][0]["functions"]
    found = {name: int(address, 16) for address, name in re.findall(r"^(\w+) [tTwW] (.*)$", run(["llvm-nm-22", program]).stdout, re.M)}
    assert {f["name"] for f in listed} >= {"-[Foo bar:baz$]", "+[W x+1 y]", "_Z5twiceIiET_S0_", "_Z5twiceIfET_S0_", "_ZN7Derived1fEi", "_ZN4Base1gEv",
                                           "_ZN12_GLOBAL__N_16hiddenEi", "start"}, listed
    for function in listed:
        assert function["address"] == found[function["name"] if "[" in function["name"] else "_" + function["name"]], function
    assert len(mip.read_tables(mip.section(program, "__LLVM_MIP,__llvm_mipmap"))) == 2


# What the small run time uses of Apple's headers and of libSystem.
HEADERS = {
    "fcntl.h": "enum { O_WRONLY = 1, O_NONBLOCK = 4, O_APPEND = 8, O_CREAT = 0x200, O_NOCTTY = 0x20000, O_CLOEXEC = 0x1000000 };\nint open(const char*, int, ...);\n",
    "limits.h": "#include_next <limits.h>\n#define PATH_MAX 1024\n",
    "pthread.h": "int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));\n",
    "stdlib.h": "char* getenv(const char*);\n",
    "sys/mman.h": "#include <stddef.h>\nenum { PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_ANONYMOUS = 0x1000 };\n#define MAP_FAILED ((void*)-1)\n"
                  "void* mmap(void*, size_t, int, int, int, long long);\nint munmap(void*, size_t);\n",
    "sys/resource.h": "struct rlimit { unsigned long long rlim_cur, rlim_max; };\nenum { RLIMIT_FSIZE = 1 };\nint getrlimit(int, struct rlimit*);\n",
    "sys/stat.h": "struct stat { int st_dev; unsigned short st_mode, st_nlink; unsigned long long st_ino; char rest[80]; long long st_size, more[6]; };\n"
                  "#define S_ISFIFO(mode) (((mode) & 0170000) == 0010000)\nint fstat(int, struct stat*);\n",
    "time.h": "struct timespec { long tv_sec, tv_nsec; };\ntypedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6 } clockid_t;\nint clock_gettime(clockid_t, struct timespec*);\n",
    "unistd.h": "#include <stddef.h>\ntypedef long ssize_t;\nint close(int), getpid(void), issetugid(void), ftruncate(int, long long);\nssize_t write(int, const void*, size_t);\n",
}
LIBRARY = """--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos, x86_64-macos ]
install-name: '/usr/lib/libSystem.B.dylib'
exports:
  - targets: [ arm64-macos, x86_64-macos ]
    symbols: [ dyld_stub_binder, _open, _pthread_atfork, _getenv, _mmap, _munmap, _getrlimit, _fstat, _clock_gettime, _close, _getpid,
               _issetugid, _ftruncate, _write, ___cxa_atexit, _printf ]
...
"""


def small(build, machine):
    """The small run time, with these declarations: compiled without a warning and linked; no more than this is known of it."""
    need(machine)
    for name, text in HEADERS.items():
        os.makedirs(os.path.dirname(build.path("headers/" + name)), exist_ok=True)
        source(build, "headers/" + name, text)
    source(build, "libSystem.tbd", LIBRARY)
    build.target = [f"--target={machine.target}"]
    library = machines.runtime(build, [*BARE[:-1], "small.c"], "-nostdlibinc", "-isystem", build.path("headers"), "-fno-stack-protector", name="libsmall.a")
    text = source(build, "main.c", "int printf(const char*, ...);\nint main(void) { return printf(\"hello\\n\") < 0; }\n")
    run(["clang-22", *build.target, "-O2", *build.flags("calls,order"), "-c", text, "-o", text + ".o"])
    for more in ((), ("-dead_strip",)):
        program = linked(build, machine, [text + ".o"], library, "-L", build.folder, "-lSystem", *more, entry=())
        pgokit(build, "map", program, "-o", build.path("map"))
        listing = run(["llvm-objdump-22", "--section-headers", program]).stdout
        assert all(name in listing for name in ("__llvm_mipraw", "__pgokit_modules", "__init_offsets")) or "__mod_init_func" in listing, listing
        assert "_finish" in run(["llvm-nm-22", program]).stdout


def refused(build, machine):
    """What there is no code for is an error."""
    text = source(build, "f.c", "int f(int n) { return n + 1; }\n")
    for kind in ("edges", "calls,edges"):
        result = run(["clang-22", f"--target={machine.target}", *build.flags(kind), "-c", text, "-o", build.path("f.o")], check=False)
        assert result.returncode and f"there is no instrumentation of edges for {machine.arch}-apple-macos" in result.stderr, result
    if machine.arch == "arm64":
        result = run(["clang-22", "--target=arm64e-apple-macos13", *build.flags("calls"), "-c", text, "-o", build.path("f.o")], check=False)
        assert result.returncode and "there is no instrumentation for arm64e" in result.stderr, result


if __name__ == "__main__":
    tools.main({f"{name}_{case.__name__}": functools.partial(case, machine=machine) for name, machine in MACHINES.items()
                for case in (kinds, sections, lto, weak, names, small, refused)})
