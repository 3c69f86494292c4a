"""The same for AArch64 and 32-bit Arm, run by qemu; and programs without libc for all processors, run by themselves and by qemu."""
import collections
import functools
import os
import shutil

import mip
import targets
import tool as tool_cases
import tools

# number: e_machine; pools: literals lie behind the code of a function, and are part of its symbol's size.
Machine = collections.namedtuple("Machine", "target runner libraries number pools modes linker")
MODES = (("nopie", ["-fno-pie"], ["-no-pie"]), ("static", [], ["-static"]), ("lto", ["-flto"], True),
         ("thin", ["-flto=thin"], True))
ARM = Machine(["--target=armv7-linux-gnueabihf", "-marm"], "qemu-arm", "/usr/arm-linux-gnueabihf", 40, True,
              (*MODES, ("longcalls", ["-mlong-calls", "-fno-pie"], ["-no-pie"])), None)
MACHINES = {
    "aarch64": Machine(["--target=aarch64-linux-gnu"], "qemu-aarch64", "/usr/aarch64-linux-gnu", 183, False,
                       (*MODES, ("bti", ["-mbranch-protection=standard"], [])), "/usr/bin/aarch64-linux-gnu-ld"),
    "arm": ARM,
    "thumb": ARM._replace(target=[ARM.target[0], "-mthumb"]),
}
HOSTED = ["count.c", "image_elf.c", "core.c", "first_run.c", "edges.c", "order_log.c", "identity.c", "file.c", "continuous.c", "posix.c",
          "values.c", "value_entry.c", "modules.c"]
SMALL = ["count.c", "image_elf.c", "first_run.c", "edges.c", "order_log.c", "values.c", "value_entry.c", "small.c"]


def cross(build, machine):
    tools.need(machine.runner)
    if not os.path.exists(f"{machine.libraries}/include/c++") or not os.path.exists(f"{machine.libraries}/include/stdio.h"):
        raise tools.Skip(f"the C and C++ libraries in {machine.libraries} are not installed")
    build.target = machine.target
    build.runner = [machine.runner, "-L", machine.libraries]
    build.runtime = runtime(build, HOSTED, "-fPIC", "-DPGOKIT_HOSTED", name="libhosted.a")
    return build


def runtime(build, sources, *flags, name):
    objects = []
    for source in sources:
        objects.append(build.path(f"{name}.{source}.o"))
        special = ["-mgeneral-regs-only"] if source == "values.c" and "armv7" not in "".join(build.target) else []
        tools.run(["clang-22", *build.target, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-D_FILE_OFFSET_BITS=64", "-fvisibility=hidden", *flags, *special, "-c",
                   os.path.join(tools.ROOT, "runtime", source), "-o", objects[-1]])
    out = build.path(name)
    if os.path.exists(out):
        os.unlink(out)
    tools.run(["llvm-ar-22", "rcs", out, *objects])
    return out


def expect_calls(build, program, expected):
    result = build.counts(program)
    found = {name: entries[0][1].calls for name, entries in result.items() if len(entries) == 1}
    for name, count in found.items():
        assert expected.get(name, count) == count, (program, name, count, expected[name])
    return len(found)


def kinds(build, machine):
    """What is counted does not depend on the processor: without optimization the counts are those of x86-64."""
    native = build.program("native", "calls", flags=["-O0"])
    expected = {name: entries[0][1].calls for name, entries in build.counts(native).items() if len(entries) == 1}
    cross(build, machine)
    for level in ("-O0", "-O2", "-Oz"):
        for kind in ("calls", "calls32"):
            program = build.program(kind + level, kind, flags=[level])
            alike = expect_calls(build, program, expected if level == "-O0" else {})
            assert alike > (100 if level == "-O0" else 10), alike
        whole = build.counts(build.program("all" + level, "blocks,calls", flags=[level], options=["all-blocks"]))
        least = build.counts(build.program("min" + level, "blocks,calls", flags=[level]))
        for name, entries in whole.items():
            for (function, counts), (_, inferred) in zip(entries, least[name]):
                assert counts.calls == counts.blocks[0], (level, function, counts)
                if name not in ("_Z5checki", "_Z7catcheri", "main", "_Z6choosei"):
                    assert counts.blocks == inferred.blocks, (level, function, counts, inferred)
        atomic = build.counts(build.program("atomic" + level, "blocks,calls", flags=[level], options=["all-blocks", "atomic"]))
        assert {name: [c for _, c in e] for name, e in atomic.items()} == {name: [c for _, c in e] for name, e in whole.items()}, level
        ran = {name for name, entries in whole.items() if any(counts.calls for _, counts in entries)}
        covered = build.counts(build.program("cov" + level, "coverage,block-coverage", flags=[level]))
        assert {name for name, entries in covered.items() if any(c.covered for _, c in entries)} == ran
        ordered = build.counts(build.program("order" + level, "order", flags=[level]))
        numbers = sorted(c.order for entries in ordered.values() for _, c in entries if c.order)
        assert numbers == list(range(1, len(numbers) + 1))
        assert {name for name, entries in ordered.items() if any(c.order for _, c in entries)} == ran
        in_order = sorted((c.order, name) for name, entries in ordered.items() for _, c in entries if c.order)
        for kind in ("order-log", "order-calls"):
            logged = build.program(kind + level, kind, flags=[level])
            dump, = build.dump(logged)
            names = mip.first_runs(mip.read_map(mip.section(logged, "__llvm_mipmap")), dump)
            assert names == [name for _, name in in_order], (kind, level, names)
        for flags in ((), ("-fPIC",)):
            program = build.program("edges" + level, "edges,calls", flags=[level, *flags], options=["edge-rate=1"])
            dump, = build.dump(program)
            known = mip.read_map(mip.section(program, "__llvm_mipmap"))
            total = sum(mip.counts_of(f, dump.raw).calls for f in known)
            assert sum(e[2] for e in dump.edges) == total - 1 and not any(dump.dropped)
            for _, callee, _ in dump.edges:
                assert any(f.address <= callee - dump.bias < f.address + f.size for f in known), hex(callee)


def modes(build, machine):
    cross(build, machine)
    for name, flags, link in machine.modes:
        link = [f"-Wl,--load-pass-plugin={build.plugin}"] if link is True else link
        for kind in ("coverage", "order"):
            program = build.program(name + kind, kind, flags=["-O2", *flags], link=link)
            known = tools.symbols(program)
            result = build.counts(program)
            for entries in result.values():
                for function, counts in entries:
                    assert any(function.address == address and (function.size == size or machine.pools and function.size < size)
                               for address, size in known[function.name]), function
            main = result["main"][0][1]
            assert main.covered or main.order == 1, main
    build.runtime = runtime(build, SMALL, "-fPIC", name="libsmall.a")
    assert build.counts(build.program("small", "calls,order"))["main"][0][1].calls == 1
    if machine.linker and shutil.which(machine.linker):
        program = build.program("bfd", "coverage", flags=["-O2"], linker=None, link=[f"--ld-path={machine.linker}"])
        assert build.counts(program)["main"][0][1].covered


def tool(build, machine):
    """map, merge and show tell the same of the same program, whichever machine it ran on."""
    cross(build, machine)
    for kinds_here in ("blocks,order,edges", "calls32,targets", "block-coverage,order-log"):
        there = tool_cases.Road(build, kinds_here, ["100"], ["100"]).functions()
        here = tools.Build(build.lib, build.path("native"))
        native = tool_cases.Road(here, kinds_here, ["100"], ["100"]).functions()
        assert there.keys() == native.keys()
        for name, function in native.items():
            assert there[name].get("calls") == function.get("calls"), (kinds_here, name)
            assert there[name].get("ran") == function.get("ran"), (kinds_here, name)
    assert native["odd"]["ran"] and not native["usage"]["ran"], native


BARE = """
#include "runtime/pgokit.h"
static long call(long number, long a, long b, long c) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#elif defined(__arm__)
  register long r7 __asm__("r7"), r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
  r7 = number;
  __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
  return r0;
#else
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}
#if defined(__x86_64__)
enum { WRITE = 1, EXIT = 60 };
#elif defined(__arm__)
enum { WRITE = 4, EXIT = 1 };
#else
enum { WRITE = 64, EXIT = 93 };
#endif
static unsigned long long ticks;
uint64_t pgokit_clock_ns(void) { return ticks += 5000; }
__attribute__((noinline)) int twice(int x) { __asm__ volatile(""); return 2 * x; }
__attribute__((noinline)) int never(int x) { __asm__ volatile(""); return 3 * x; }
static int to_output(void* context, const void* data, size_t size) {
  (void)context;
  return call(WRITE, 1, (long)data, (long)size) == (long)size ? 0 : 5;
}
void* memset(void* to, int value, size_t size) {
  for (volatile char* at = to; size; --size) *at++ = (char)value;
  return to;
}
void* memcpy(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; ++i) ((volatile char*)to)[i] = ((const char*)from)[i];
  return to;
}
__attribute__((used)) void start_here(long* stack) {
  if (stack[0] > 100) never(1);
  twice(1);
  if (stack[0] > 1) pgokit_reset();
  twice(2);
  const int result = pgokit_write(to_output, 0);
  call(EXIT, result, 0, 0);
}
#if defined(__x86_64__)
__asm__(".globl _start\\n_start: movq %rsp, %rdi\\n andq $-16, %rsp\\n call start_here\\n");
#elif defined(__arm__)
__asm__(".arm\\n.globl _start\\n_start: mov r0, sp\\n bl start_here\\n");
/* What the compiler's library divides with refers to. */
int raise(int signal) { (void)signal; return 0; }
void __aeabi_unwind_cpp_pr0(void) {}
void __aeabi_unwind_cpp_pr1(void) {}
#else
__asm__(".globl _start\\n_start: mov x0, sp\\n bl start_here\\n");
#endif
"""


def bare(build):
    """No libc, no operating system's loader: the dump goes through a function of the program."""
    source = build.path("bare.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(BARE)
    tries = [("native", [], [], 62)]
    for name, machine in MACHINES.items():
        if shutil.which(machine.runner) and os.path.exists(machine.libraries):
            tries.append((name, machine.target, [machine.runner], machine.number))
    for name, target, runner, number in tries:
        build.target = target
        library = runtime(build, HOSTED[:4], "-ffreestanding", "-DPGOKIT_BARE", *(["-mno-outline-atomics"] if number == 183 else []),
                          name=f"bare_{name}.a")
        program = build.path(f"bare_{name}")
        tools.run(["clang-22", *target, "-O2", "-ffreestanding", "-nostdlib", "-static", "-fuse-ld=lld-22", "-Wl,--build-id",
                   "-fno-stack-protector", "-I", tools.ROOT, *build.flags("calls,order"), source, library,
                   *(["-lgcc"] if number == 40 else []), "-o", program])
        out = build.path("bare.mipraw")
        for words, calls in (([], 2), (["reset"], 1)):
            with open(out, "wb") as file:
                file.write(tools.run([*runner, program, *words], text=False).stdout)
            record, = mip.read_dumps(out)
            counts = {f.name: mip.counts_of(f, record.raw) for f in mip.read_map(mip.section(program, "__llvm_mipmap"))}
            assert record.crc_ok and counts["twice"].calls == calls and counts["never"].calls == 0, counts
            assert counts["twice"].order > 0 and counts["twice"].time > 0 and counts["never"].order == 0, counts
            assert len(record.build_id) > 8 and record.machine == number


def call_targets(build, machine):
    """Targets, tables and sizes are those of x86-64; so are the hard cases."""
    cross(build, machine)
    known = targets.EXPECTED
    copy = "_Z4copyPcPKcm"
    if machine.number == 40:  # size_t is another type
        known = {name.replace("Pcm", "Pcj"): values for name, values in known.items()}
        copy = "_Z4copyPcPKcj"
    for level, *flags in (["-O0"], ["-O2"], ["-Oz"], *([["-O2", *flags] for name, flags, _ in machine.modes if name == "longcalls"])):
        link = ["-no-pie"] if "-fno-pie" in flags else []
        kinds_here = "calls,targets,tables" + (",sizes" if not flags else "")
        program = build.program("p" + level + "".join(flags), kinds_here, targets.DISPATCH, flags=[level, *flags], link=link)
        functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
        found = targets.recorded(build, program, functions=functions)
        if flags:  # functions of the C library have the address of their stub
            found["_Z8variadicPFiPcjPKczES_d"] = {"libc.so.6": sum(found["_Z8variadicPFiPcjPKczES_d"].values())}
        assert {name: dict(values) for name, values in found.items() if values} == known, (level, flags, found)
        if level != "-O0":
            tables = targets.recorded(build, program, mip.TABLES, functions)
            assert sorted(tables["_Z12virtual_callPK5Shapei"].values()) == [200, 200, 600], (level, tables)
            if not flags:
                sizes = targets.recorded(build, program, mip.SIZES, functions)
                assert sizes[copy] == {8: 30, 24: 10}, (level, sizes)
    targets.hard(build)


if __name__ == "__main__":
    tools.main({f"{name}_{case.__name__}": functools.partial(case, machine=machine) for name, machine in MACHINES.items()
                for case in (kinds, modes, call_targets, tool)} | {"bare": bare})
