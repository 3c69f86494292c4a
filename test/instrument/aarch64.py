"""The same for AArch64, run by qemu; and programs without libc for both processors, run by themselves and by qemu."""
import os

import mip
import targets
import tools

SYSROOT = "/usr/aarch64-linux-gnu"
RUNTIME = ["count.c", "core.c", "first_run.c", "edges.c", "order_log.c", "identity.c", "file.c", "continuous.c", "posix.c",
           "values.c", "value_entry.c", "modules.c"]


def cross(build):
    tools.need("qemu-aarch64", "aarch64-linux-gnu-ld")
    if not os.path.exists(f"{SYSROOT}/include/c++") or not os.path.exists(f"{SYSROOT}/include/stdio.h"):
        raise tools.Skip("the C and C++ libraries for AArch64 are not installed")
    build.target = ["--target=aarch64-linux-gnu"]
    build.runner = ["qemu-aarch64", "-L", SYSROOT]
    build.runtime = runtime(build, RUNTIME, "-fPIC", "-DPGOKIT_HOSTED", name="libaarch64.a")
    return build


def runtime(build, sources, *flags, name):
    objects = []
    for source in sources:
        objects.append(build.path(f"{name}.{source}.o"))
        special = ["-mgeneral-regs-only"] if source == "values.c" else []
        tools.run(["clang-22", *build.target, "-std=gnu11", "-O2", "-fvisibility=hidden", *flags, *special, "-c",
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


def kinds(build):
    """What is counted does not depend on the processor: without optimization the counts are those of x86-64."""
    native = build.program("native", "calls", flags=["-O0"])
    expected = {name: entries[0][1].calls for name, entries in build.counts(native).items() if len(entries) == 1}
    cross(build)
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


def modes(build):
    cross(build)
    for name, flags, link in (("nopie", ["-fno-pie"], ["-no-pie"]), ("static", [], ["-static"]),
                              ("bti", ["-mbranch-protection=standard"], []), ("lto", ["-flto"], True),
                              ("thin", ["-flto=thin"], True)):
        link = [f"-Wl,--load-pass-plugin={build.plugin}"] if link is True else link
        for kind in ("coverage", "order"):
            program = build.program(name + kind, kind, flags=["-O2", *flags], link=link)
            known = tools.symbols(program)
            result = build.counts(program)
            for entries in result.values():
                for function, counts in entries:
                    assert (function.address, function.size) in known[function.name], function
            main = result["main"][0][1]
            assert main.covered or main.order == 1, main
    for linker in ("aarch64-linux-gnu-ld",):
        tools.LINKERS["cross"] = f"/usr/bin/{linker}"
        program = build.program("bfd", "coverage", flags=["-O2"], linker=None, link=[f"--ld-path=/usr/bin/{linker}"])
        assert build.counts(program)["main"][0][1].covered


BARE = """
#include "runtime/pgokit.h"
static long call(long number, long a, long b, long c) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}
#if defined(__x86_64__)
enum { WRITE = 1, EXIT = 60 };
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
#else
__asm__(".globl _start\\n_start: mov x0, sp\\n bl start_here\\n");
#endif
"""


def bare(build):
    """No libc, no operating system's loader: the dump goes through a function of the program."""
    source = build.path("bare.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(BARE)
    tries = [([], [])]
    try:
        tools.need("qemu-aarch64")
        tries.append((["--target=aarch64-linux-gnu"], ["qemu-aarch64"]))
    except tools.Skip:
        pass
    for target, runner in tries:
        build.target = target
        library = runtime(build, RUNTIME[:3], "-ffreestanding", "-DPGOKIT_BARE", *(["-mno-outline-atomics"] if target else []),
                          name=f"bare{len(target)}.a")
        program = build.path(f"bare{len(target)}")
        tools.run(["clang-22", *target, "-O2", "-ffreestanding", "-nostdlib", "-static", "-fuse-ld=lld-22", "-Wl,--build-id",
                   "-fno-stack-protector", "-I", tools.ROOT, *build.flags("calls,order"), source, library, "-o", program])
        out = build.path("bare.mipraw")
        for words, calls in (([], 2), (["reset"], 1)):
            with open(out, "wb") as file:
                file.write(tools.run([*runner, program, *words], text=False).stdout)
            record, = mip.read_dumps(out)
            counts = {f.name: mip.counts_of(f, record.raw) for f in mip.read_map(mip.section(program, "__llvm_mipmap"))}
            assert record.crc_ok and counts["twice"].calls == calls and counts["never"].calls == 0, counts
            assert counts["twice"].order > 0 and counts["twice"].time > 0 and counts["never"].order == 0, counts
            assert len(record.build_id) > 8 and record.machine == (183 if target else 62)


def call_targets(build):
    """Targets, tables and sizes are those of x86-64; so are the hard cases."""
    cross(build)
    for level in ("-O0", "-O2", "-Oz"):
        program = build.program("p" + level, "calls,targets,tables,sizes", targets.DISPATCH, flags=[level])
        functions = mip.read_map(mip.section(program, "__llvm_mipmap"))
        found = targets.recorded(build, program, functions=functions)
        assert {name: dict(values) for name, values in found.items() if values} == targets.EXPECTED, (level, found)
        if level != "-O0":
            tables = targets.recorded(build, program, mip.TABLES, functions)
            assert sorted(tables["_Z12virtual_callPK5Shapei"].values()) == [200, 200, 600], (level, tables)
            sizes = targets.recorded(build, program, mip.SIZES, functions)
            assert sizes["_Z4copyPcPKcm"] == {8: 30, 24: 10}, (level, sizes)
    targets.hard(build)


if __name__ == "__main__":
    tools.main({"kinds": kinds, "modes": modes, "bare": bare, "call_targets": call_targets})
