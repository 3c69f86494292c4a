"""Files that many processes write at once, names that are hard to write to, and threads with little stack."""
import fcntl
import os
import shutil
import subprocess

import mip
import tools
from processes import SOURCE, calls_in, functions, make, only, run

# A record of a megabyte: written in pieces it would take so long that others come in between.
LARGE = '__attribute__((section("__llvm_mipraw"), used)) static char large[1 << 20] = {1};\n'
SMALL_MAIN = """#include <pthread.h>
#include <stdlib.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
static void* ends(void* unused) { (void)unused; work(); exit(0); }
int main(int argc, char** argv) {
  pthread_t id;
  pthread_attr_t attributes;
  (void)argv;
  pthread_attr_init(&attributes);
  if (argc > 1 && (pthread_attr_setstacksize(&attributes, 16384) || pthread_create(&id, &attributes, ends, 0))) return 9;
  return argc > 1 ? pthread_join(id, 0) : (work(), 0);
}
"""
# What another process does between two steps of this one.
MEANWHILE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <unistd.h>
static void append(const char* from, const char* to) {
  static char bytes[1 << 20];
  const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_APPEND);
  const ssize_t size = read(in, bytes, sizeof bytes);
  if (size < 0 || write(out, bytes, (size_t)size) != size) abort();
  close(in), close(out);
}
int rename(const char* from, const char* to) {
  if (getenv("MEANWHILE_APPEND")) append(getenv("MEANWHILE_APPEND"), to);
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int flock(int file, int how) {
  const char* with = getenv("MEANWHILE_REPLACE");
  if (with) ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(with, getenv("PGOKIT_PROFILE_FILE"));
  return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, how);
}
"""


def written(build, name, text):
    with open(build.path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return build.path(name)


def fresh(path):
    if os.path.lexists(path):
        os.unlink(path)
    return path


def crowd(build):
    """Many processes with large records, while one that is stopped holds the lock: every record is whole."""
    large = written(build, "large.c", LARGE)
    for name, sources in (("libpgokit_rt.a", SOURCE), ("libpgokit_rt_small.a", [written(build, "small.c", SMALL_MAIN)])):
        build.runtime = os.path.join(build.lib, name)
        program = build.program("crowd-" + name, "calls", sources=[*sources, large], flags=["-O1", "-I", tools.ROOT],
                                compiler="clang-22", link=["-pthread"])
        out = fresh(build.path("crowd.mipraw"))
        tools.run([program], env={"PGOKIT_PROFILE_FILE": out})
        for held in (True, False):
            before = len(mip.read_dumps(out))
            with open(out, "rb") as holder:
                if held:
                    fcntl.flock(holder, fcntl.LOCK_EX)
                running = [subprocess.Popen([program], env=dict(os.environ, PGOKIT_PROFILE_FILE=out)) for _ in range(40)]
                assert [each.wait() for each in running] == [0] * 40
            records = mip.read_dumps(out)
            assert len(records) == before + 40 and all(r.crc_ok for r in records), (name, held, len(records))
            assert {r.pid for r in records} >= {each.pid for each in running}
        print(f"{name}: {len(records)} records of {os.path.getsize(out) // len(records)} bytes")


def second_dumps(build):
    """A process whose dump takes the place of its last one leaves those of others alone."""
    program = make(build)
    library = build.path("meanwhile.so")
    tools.run(["clang-22", "-O1", "-shared", "-fPIC", written(build, "meanwhile.c", MEANWHILE), "-o", library])
    other = fresh(build.path("other.mipraw"))
    tools.run([program, "late"], env={"PGOKIT_PROFILE_FILE": other})
    other_pid = mip.read_dumps(other)[0].pid
    # The other one appends just before the new file comes in the old one's place.
    out = fresh(build.path("out.mipraw"))
    tools.run([program, "work", "dump", "work"],
              env={"PGOKIT_PROFILE_FILE": out, "LD_PRELOAD": library, "MEANWHILE_APPEND": other})
    records = mip.read_dumps(out)
    assert all(r.crc_ok for r in records) and sorted(r.pid == other_pid for r in records) == [False, True], records
    own, = [r for r in records if r.pid != other_pid]
    assert own.sequence == 2 and calls_in(program, own)["work"] == 2
    # The other one puts a new file in the place of the one that was opened for appending.
    out = fresh(build.path("out.mipraw"))
    shutil.copy(other, out)
    tools.run([program, "work"], env={"PGOKIT_PROFILE_FILE": out, "LD_PRELOAD": library, "MEANWHILE_REPLACE": other})
    records = mip.read_dumps(out)
    assert len(records) == 2 and sum(r.pid == other_pid for r in records) == 1, records
    # And all of it at once.
    for _ in range(10):
        out = fresh(build.path("out.mipraw"))
        running = [subprocess.Popen([program] + ["work", "dump"] * 10, env=dict(os.environ, PGOKIT_PROFILE_FILE=out))
                   for _ in range(8)]
        assert [each.wait() for each in running] == [0] * 8
        records = mip.read_dumps(out)
        assert all(r.crc_ok for r in records)
        last = {}
        for record in records:
            last[record.pid] = max(last.get(record.pid, 0), record.sequence)
        assert sorted(last) == sorted(each.pid for each in running) and set(last.values()) == {11}, last
    assert not [each for each in os.listdir(build.folder) if each.endswith(".tmp")]


def links(build):
    """A link to a file that is not there makes that file; one to nowhere is told."""
    program = make(build)
    folder = fresh_folder(build.path("links"))
    target, link = os.path.join(folder, "target.mipraw"), os.path.join(folder, "link.mipraw")
    os.symlink(target, link)
    for expected in (1, 2):
        run(program, "work", file=link)
        assert len(mip.read_dumps(target)) == expected and os.path.islink(link)
    lost = os.path.join(folder, "lost.mipraw")
    os.symlink(os.path.join(folder, "no", "folder"), lost)
    loud, _ = run(program, "work", file=lost, env={"PGOKIT_VERBOSE": "1"})
    assert f"{lost}: cannot be written: error 2\n" in loud.stderr, loud
    assert sorted(os.listdir(folder)) == ["link.mipraw", "lost.mipraw", "target.mipraw"]


def fresh_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def long_names(build):
    """The longest name that the file system takes is written; longer ones are told."""
    program = make(build)
    longest = "x" * 255
    assert list(run(program, "work", file=longest)[1]) == [longest]
    assert len(run(program, "work", "dump", "work", file=longest)[1][longest]) == 2
    for file in ("y" * 256, "z/" * 3000, "%p/" * 2000, "z" * 4095, "z" * 4096):
        loud, dumps = run(program, "work", file=file, env={"PGOKIT_VERBOSE": "1"})
        assert not dumps and loud.stderr.endswith(": error 36\n") and loud.stderr.count("\n") == 1, (len(file), loud)
        quiet, _ = run(program, "work", file=file)
        assert not quiet.stderr
    result, dumps = run(program, "work", "to=" + "y" * 300, file="", check=False)
    assert not dumps and result.returncode == 36, result  # what pgokit_dump_to returns


def small_stacks(build):
    """exit() and the dump signal in a thread with the least stack."""
    program = make(build)
    for file in ("out.mipraw", "d" * 100 + "-%h-%b-%m.mipraw", "%c%p.mipraw"):
        record = only(run(program, "work", "small_thread=exit", file=file)[1])
        assert calls_in(program, record)["work"] == 1
    _, dumps = run(program, "work", "small_thread=signal", "late", "_exit", env={"PGOKIT_DUMP_SIGNAL": "USR1"})
    assert calls_in(program, only(dumps))["late"] == 0
    _, dumps = run(program, "work", "small_thread=signal", "late", file="two.mipraw", env={"PGOKIT_DUMP_SIGNAL": "USR1"})
    assert calls_in(program, only(dumps))["late"] == 1
    loud, _ = run(program, "work", "small_thread=exit", file="/nonexistent/x", env={"PGOKIT_VERBOSE": "1"})
    assert "/nonexistent/x: cannot be written" in loud.stderr, loud
    build.runtime = os.path.join(build.lib, "libpgokit_rt_small.a")
    program = build.program("small", "calls", sources=[written(build, "small.c", SMALL_MAIN)], flags=["-O1"],
                            compiler="clang-22", link=["-pthread"])
    record = only(run(program, "thread", file="small.mipraw")[1])
    assert mip.counts_of(functions(program)["work"], record.raw).calls == 1


if __name__ == "__main__":
    tools.main({"crowd": crowd, "second_dumps": second_dumps, "links": links, "long_names": long_names,
                "small_stacks": small_stacks})
