"""When and where dumps are made: exits, forks, signals, threads, libraries, continuous mode, and places that refuse."""
import os
import resource
import shutil
import subprocess
import tempfile

import mip
import tools

SOURCE = [os.path.join(tools.HERE, "process.c")]


def make(build, kinds="calls", options=(), name="process"):
    return build.program(name, kinds, sources=SOURCE, flags=["-O1", "-I", tools.ROOT], compiler="clang-22",
                         options=options, link=["-pthread"])


def functions(program):
    return {f.name: f for f in mip.read_map(mip.section(program, "__llvm_mipmap"))}


def run(program, *words, file=None, check=True, **more):
    """Runs it in a folder of its own; the dumps of every file that came to be, by file name."""
    folder = program + ".run"
    os.makedirs(folder, exist_ok=True)
    for each in os.listdir(folder):
        os.unlink(os.path.join(folder, each))
    env = more.pop("env", {})
    if file is not None:
        env["PGOKIT_PROFILE_FILE"] = file
    result = tools.run([program, *words], env=env, check=check, cwd=folder, **more)
    return result, {each: mip.read_dumps(os.path.join(folder, each)) for each in sorted(os.listdir(folder))}


def calls_in(program, dump):
    return {name: mip.counts_of(f, dump.raw).calls for name, f in functions(program).items()}


def only(dumps):
    (_, records), = dumps.items()
    assert len(records) == 1 and records[0].crc_ok, records
    return records[0]


def exits(build):
    program = make(build)
    for words, expected in ((["work"], 1), (["work", "quick"], 1)):
        _, dumps = run(program, *words)
        (name, records), = dumps.items()
        assert name == f"default-{records[0].pid}.mipraw", name
        assert calls_in(program, only(dumps))["work"] == expected
    assert not run(program, "work", "_exit")[1]
    assert not run(program, "work", file="")[1]
    # A process that dumps twice says the same twice and more: its file holds the last.
    record = only(run(program, "work", "dump", "work", file="twice.mipraw")[1])
    assert record.sequence == 2 and calls_in(program, record)["work"] == 2
    run(program, "work", "exec", file="exec.mipraw")
    result, dumps = run(program, "buffer", "to=other.mipraw", "work")
    assert len(dumps) == 2 and "other.mipraw" in dumps
    assert only(run(program, "noenv", "work")[1]).crc_ok


def names(build):
    program = make(build)
    build_id = only(run(program)[1]).build_id
    host = os.uname().nodename
    for pattern, expected in (("a-%b.x", f"a-{build_id}.x"), ("%h-%h", f"{host}-{host}"), ("100%%", "100%"), ("x%", "x%"),
                              ("%q", "%q")):
        assert list(run(program, file=pattern)[1]) == [expected], pattern
    first, second = (list(run(program, file="%m-%m")[1])[0] for _ in range(2))
    assert first == second and len(first) == 17
    result, dumps = run(program, file="x" * 5000, env={"PGOKIT_VERBOSE": "1"})
    assert not dumps and result.returncode == 0


def pools(build):
    """Many processes, one file: nothing is lost, whatever order they come in."""
    program = make(build)
    folder = program + ".run"
    run(program)
    out = os.path.join(folder, "pool.mipraw")
    running = [subprocess.Popen([program] + ["work"] * (i % 5 + 1), env=dict(os.environ, PGOKIT_PROFILE_FILE=out))
               for i in range(40)]
    for each in running:
        assert each.wait() == 0
    records = mip.read_dumps(out)
    assert len(records) == 40 and all(r.crc_ok for r in records) and len({r.pid for r in records}) == 40
    assert sum(calls_in(program, r)["work"] for r in records) == 8 * (1 + 2 + 3 + 4 + 5)
    assert [f for f in os.listdir(folder) if f.endswith(".tmp")] == []


def fork(build):
    for kinds in ("calls", "coverage", "calls,coverage"):
        program = make(build, kinds, name="process_" + kinds.replace(",", "_"))
        _, dumps = run(program, "work", "fork", "work")
        assert len(dumps) == 2, dumps
        parent, child = sorted((records[0] for records in dumps.values()), key=lambda r: r.flags & 2)
        assert child.parent == parent.pid and child.start_time > parent.start_time
        known = functions(program)

        def saw(record, name):
            counts = mip.counts_of(known[name], record.raw)
            return counts.calls if counts.calls is not None else counts.covered

        assert (saw(parent, "work"), saw(parent, "child_only"), saw(parent, "main")) == (1, 0, 1)
        # Once again in the child, and main was not called again.
        assert (saw(child, "work"), saw(child, "child_only"), saw(child, "main")) == (1, 1, 0), kinds
    _, dumps = run(make(build), "work", "fork", "work", file="one.mipraw")
    assert len(dumps["one.mipraw"]) == 2


def signals(build):
    program = make(build)
    _, dumps = run(program, "work", "usr1", "work", "_exit", env={"PGOKIT_DUMP_SIGNAL": "USR1"})
    assert calls_in(program, only(dumps))["work"] == 1
    _, dumps = run(program, "work", "usr1", "work", env={"PGOKIT_DUMP_SIGNAL": "SIGUSR1"})
    assert calls_in(program, only(dumps))["work"] == 2
    for nonsense in ("WHAT", "-4", "99999"):
        assert only(run(program, "work", env={"PGOKIT_DUMP_SIGNAL": nonsense})[1]).sequence == 1


def threads(build):
    """Bytes and first runs are exact with threads; counts may lose some, never gain."""
    program = make(build, "calls,order,edges", options=["edge-rate=100"])
    record = only(run(program, "threads")[1])
    calls = calls_in(program, record)
    assert 0 < calls["work"] <= 400000
    assert sum(e[2] for e in record.edges) * 100 > 200000
    for kinds in ("calls,blocks", "calls32"):
        atomic = make(build, kinds, name="process_atomic_" + kinds.replace(",", "_"), options=["atomic"])
        assert calls_in(atomic, only(run(atomic, "threads")[1]))["work"] == 400000, kinds
    orders = [mip.counts_of(f, record.raw).order for f in functions(program).values()]
    assert sorted(o for o in orders if o)[0] == 1
    assert mip.counts_of(functions(program)["main"], record.raw).order == 1


def reset(build):
    for kinds in ("calls", "coverage", "calls,coverage,order"):
        program = make(build, kinds, name="process_" + kinds.replace(",", "_"))
        record = only(run(program, "work", "reset", "late", "mark")[1])
        known = functions(program)
        counts = {name: mip.counts_of(f, record.raw) for name, f in known.items()}
        for name, expected in (("work", False), ("late", True), ("main", False)):
            each = counts[name]
            assert not kinds.startswith("calls") or each.calls == expected, (kinds, name, each)
            assert "coverage" not in kinds or each.covered is expected, (kinds, name, each)
        if "order" in kinds:
            assert counts["late"].order > 0 and counts["work"].order == 0, counts
        assert [mark[0] for mark in record.marks] == [7]


def libraries(build):
    library = build.path("library.so")
    tools.run(["clang-22", "-O1", "-fPIC", "-shared", *build.flags("calls,order,edges"),
               os.path.join(tools.HERE, "library.c"), os.path.join(build.lib, "libpgokit_rt.a"), "-fuse-ld=lld-22",
               "-Wl,--build-id", "-o", library])
    program = make(build)
    _, dumps = run(program, f"load={library}", f"load={library}", "work", file="all.mipraw")
    records = dumps["all.mipraw"]
    assert len(records) == 3 and all(r.crc_ok for r in records), records
    own = [r for r in records if r.path == os.path.realpath(program)]
    loaded = [r for r in records if r.path == library]
    assert len(own) == 1 and len(loaded) == 2
    for record in loaded:
        assert calls_in(library, record)["in_library"] == 1
    # What an unloaded library had asked for is gone with it.
    for last in ("usr1", "quick", "fork"):
        run(program, f"load={library}", last, file="last.mipraw", env={"PGOKIT_DUMP_SIGNAL": "USR1"})


def continuous(build):
    for kinds in ("calls", "coverage", "calls,coverage"):
        program = make(build, kinds, name="process_" + kinds.replace(",", "_"))
        known = functions(program)

        def saw(record, name):
            counts = mip.counts_of(known[name], record.raw)
            return counts.calls if counts.calls is not None else counts.covered

        result, dumps = run(program, "work", "kill", file="%c%p.mipraw", check=False)
        assert result.returncode == -9
        record = only(dumps)
        assert record.flags & 1 and saw(record, "work") == 1 and saw(record, "late") == 0
        _, dumps = run(program, "work", "fork", "work", "late", file="%p%c.mipraw")
        assert len(dumps) == 2, dumps
        parent, child = sorted((records[0] for records in dumps.values()), key=lambda r: r.flags & 2)
        assert (saw(parent, "work"), saw(parent, "late"), saw(parent, "child_only")) == (1, 0, 0)
        assert (saw(child, "work"), saw(child, "late"), saw(child, "child_only")) == (1, 1, 1)
        # A file that is there is another process's: it is left alone, and counters are written at exit.
        folder = program + ".run"
        for expected in (1, 2):
            tools.run([program, "work"], env={"PGOKIT_PROFILE_FILE": "%cone.mipraw"}, cwd=folder)
            assert len(mip.read_dumps(os.path.join(folder, "one.mipraw"))) == expected


def refusals(build):
    """Where nothing can be written the program runs as ever, and says nothing unless asked."""
    program = make(build)

    def quiet(*words, file="out.mipraw", **more):
        result, dumps = run(program, *words, file=file, **more)
        assert (result.stdout, result.stderr) == ("", ""), result
        return dumps

    for file in ("/nonexistent/x", "/proc/x", "/dev/full", "/", "/dev/null", "/etc/passwd/x", "%c/nonexistent/x"):
        quiet("work", file=file)
    assert not quiet("work", "seccomp") and not quiet("work", "small") and not quiet("work", "seccomp", "fork", "work")
    loud, _ = run(program, "work", file="/nonexistent/x", env={"PGOKIT_VERBOSE": "1"})
    assert loud.stderr.count("\n") == 1 and "/nonexistent/x" in loud.stderr, loud
    fifo = build.path("fifo")
    if not os.path.exists(fifo):
        os.mkfifo(fifo)
    quiet("work", file=fifo)
    # No room: what was in the file stays, what did not fit is taken away again.
    full = build.path("full.mipraw")
    for path in (full,):
        if os.path.exists(path):
            os.unlink(path)
    quiet("work", file=full)
    before = os.path.getsize(full)
    limit = lambda size: lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    quiet("work", file=full, preexec_fn=limit(before + 100))
    assert not quiet("work", file="%c%p", preexec_fn=limit(before - 1))
    # Where there is no room for pages but for a record, there is one at exit.
    assert calls_in(program, only(quiet("work", file="%c%p", preexec_fn=limit(before + 100))))["work"] == 1
    assert os.path.getsize(full) == before and len(mip.read_dumps(full)) == 1


def full_disk(build):
    """A disk without room: the program runs on silently, what was there stays, half a record does not."""
    if os.geteuid() or tools.run(["unshare", "-m", "true"], check=False).returncode:
        raise tools.Skip("only root may mount a small disk")
    disk = build.path("disk")
    os.makedirs(disk, exist_ok=True)
    for name in ("libpgokit_rt.a", "libpgokit_rt_small.a"):
        build.runtime = os.path.join(build.lib, name)
        program = build.program("shapes-" + name, "blocks", flags=["-O0"])
        # The file's page has room for a part of the next record, the disk for no page more.
        one = f"PGOKIT_PROFILE_FILE={disk}/x {program} >/dev/null"
        script = (f"mount -t tmpfs -o size=128k none {disk} && {one} && {one} && cp {disk}/x {build.path('before')} && (head -c 1000000 /dev/zero > {disk}/rest; true) 2>/dev/null && "
                  f"for file in x y %cz; do PGOKIT_PROFILE_FILE={disk}/$file {program} >/dev/null || exit 9; done; "
                  f"cp {disk}/x {build.path('after')}; rm {disk}/x {disk}/rest; ls -A {disk}")
        result = tools.run(["unshare", "-m", "sh", "-c", script], check=False)
        if "mount" in result.stderr:
            raise tools.Skip(f"no small disk: {result.stderr.strip()}")
        assert result.returncode == 0 and not result.stderr, result
        left = result.stdout.split()
        assert left == [] or (name == "libpgokit_rt_small.a" and set(left) <= {"y", "%cz"}), result
        with open(build.path("before"), "rb") as before, open(build.path("after"), "rb") as after:
            assert before.read() == after.read()
        size = os.path.getsize(build.path("after"))
        assert len(mip.read_dumps(build.path("after"))) == 2 and size % 4096 + size / 2 > 4096, size


def set_user_id(build):
    """Programs with more rights than their user write nothing, wherever the user wants it."""
    tools.need("setpriv")
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() or os.statvfs(folder).f_flag & os.ST_NOSUID:
            raise tools.Skip("only root makes programs that run with more rights, where that is allowed")
        os.chmod(folder, 0o777)
        for name in ("libpgokit_rt.a", "libpgokit_rt_small.a"):
            build.runtime = os.path.join(build.lib, name)
            program = os.path.join(folder, "program")
            shutil.copy(build.program("shapes", "calls", flags=["-O1"]), program)
            for mode, files in ((0o755, 1), (0o4755, 0)):
                os.chmod(program, mode)
                for file in (os.path.join(folder, "out"), None):
                    env = {} if file is None else {"PGOKIT_PROFILE_FILE": file}
                    tools.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program], env=env, cwd=folder)
                    found = [each for each in os.listdir(folder) if each != "program"]
                    assert len(found) == files, (name, oct(mode), found)
                    for each in found:
                        os.unlink(os.path.join(folder, each))


def small(build):
    """The smallest run time: the same records, no more than appended at exit."""
    build.runtime = os.path.join(build.lib, "libpgokit_rt_small.a")
    program = build.program("shapes", "calls,edges", flags=["-O1"], options=["edge-rate=1"])
    dump, = build.dump(program)
    calls = [mip.counts_of(f, dump.raw).calls for f in mip.read_map(mip.section(program, "__llvm_mipmap"))]
    assert dump.crc_ok and sum(e[2] for e in dump.edges) == sum(calls) - 1
    assert dump.build_id in tools.run(["llvm-readelf-22", "-n", program]).stdout
    source = build.path("forks.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void in_parent(void) { __asm__ volatile(""); }
__attribute__((noinline)) void in_child(void) { __asm__ volatile(""); }
int main(int argc, char** argv) {
  (void)argv;
  in_parent();
  if (argc > 1) setrlimit(RLIMIT_FSIZE, &(struct rlimit){9, 9});
  if (fork()) return wait(0) < 0;
  in_child();
  return 0;
}
""")
    program = build.program("forks", "calls", sources=[source], flags=["-O1"], compiler="clang-22")
    known = functions(program)
    _, dumps = run(program, file="both.mipraw")
    parent, child = sorted(dumps["both.mipraw"], key=lambda r: r.flags & 2)
    for record, expected in ((parent, (1, 0)), (child, (0, 1))):
        assert record.crc_ok
        assert tuple(mip.counts_of(known[n], record.raw).calls for n in ("in_parent", "in_child")) == expected
    _, dumps = run(program, file="%p%%.mipraw")
    assert sorted(dumps) == sorted(f"{records[0].pid}%%.mipraw" for records in dumps.values()) and len(dumps) == 2
    longest = "./" * 2047 + "x"  # of 4,095 bytes, as many as the kernel takes
    assert len(run(program, file=longest)[1]["x"]) == 2
    for file in ("/nonexistent/x", "/dev/full", "/", "/dev/null", "x" * 3000, longest + "x", "%p" * 4000, ""):
        result, dumps = run(program, file=file)
        assert not dumps and not result.stderr, (file, dumps)
    result, dumps = run(program, "limit", file="limited.mipraw")
    assert all(not records for records in dumps.values())


if __name__ == "__main__":
    tools.main({"exits": exits, "names": names, "pools": pools, "fork": fork, "signals": signals, "threads": threads,
                "reset": reset, "libraries": libraries, "continuous": continuous, "refusals": refusals, "full_disk": full_disk, "set_user_id": set_user_id,
                "small": small})
