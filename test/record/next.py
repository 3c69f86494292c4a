"""The commands that record and generate print as the next step work as they are printed.

next.py PGOKIT FOLDER: builds a program with each compiler that is installed, records it (behind a
shell script, attached to, and as a library), and runs what is printed, up to the optimized build.
"""

import json
import os
import re
import shutil
import subprocess
import sys

WORK = """
__attribute__((noinline)) int work(int x) {
  int s = 0;
  for (int i = 0; i < 1000; i++) s += (i * x) % 7 ? i : x;
  return s;
}
"""
MAIN = """
int work(int x);
int main(void) {
  volatile long s = 0;
  for (int i = 0; i < 200000; i++) s += work(i);
}
"""
# Most of its time is libc's, a part of it its own.
PRINTS = """
#include <stdio.h>
int main(void) {
  char text[64];
  volatile long s = 0;
  for (int i = 0; i < 4000000; i++) {
    s += snprintf(text, sizeof text, "%d", i);
    for (int k = 0; k < 30; k++) s += k * i % 7;
  }
}
"""
GENERATED = """
#include <string.h>
#include <sys/mman.h>
int main(void) {
  static const unsigned char loop[] = {0xb9, 0, 0, 0, 0x60, 0xff, 0xc9, 0x75, 0xfc, 0xc3};  // counts down
  void* code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, loop, sizeof loop);
  ((void (*)(void))code)();
}
"""
RUST = """
#[inline(never)]
fn work(x: u64) -> u64 { (0..1000u64).fold(0, |s, i| s + if (i * x) % 7 != 0 { i } else { x }) }
fn main() { println!("{}", (0..200000u64).fold(0u64, |s, i| s.wrapping_add(work(i)))); }
"""
BUILDS = {
    "clang-22": "clang-22 -O2 -g",
    "clang-22 with probes": "clang-22 -O2 -g -fpseudo-probe-for-profiling",
    "clang-14": "clang-14 -O2 -g -fdebug-info-for-profiling",
    "gcc": "gcc -O2 -g",
    "clang++-22": "clang++-22 -O2 -g",
    "clang++-22 with probes": "clang++-22 -O2 -gmlt -fpseudo-probe-for-profiling",
    "clang++-22 with split units": "clang++-22 -O2 -g -gsplit-dwarf",
    "g++": "g++ -O2 -g",
}


def run(command, **more):
    done = subprocess.run(command, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, **more)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stderr


def next_commands(text):
    found = re.search(r"^next:? +(.*(?:\n +pgokit .*|\n {10}.*)*)", text, re.M)
    assert found, text
    return [line.strip() for line in found[1].splitlines()]


def follow(recorded, sources, compiler=""):
    """From what record printed to a program that was built with the profile, by the compiler that built it first."""
    generated = run(next_commands(recorded)[0])
    named = next_commands(generated)[-1].split()[0]
    assert re.fullmatch(re.escape(compiler) + r"(-\d+)?", named) or not compiler, generated
    for command in next_commands(generated):
        if command.endswith(" ..."):
            command = command[:-3] + f"{sources} -o rebuilt"
        run(command)
    return generated


def try_script(options):
    run(f"{options} main.c work.c -o app")
    with open("run.sh", "w") as script:
        script.write("#!/bin/sh\n./app\n")
    os.chmod("run.sh", 0o755)
    follow(run("pgokit record --software -F 500 -o run.perf -- ./run.sh"), "main.c work.c", options.split()[0])


def try_library():
    run("gcc -O2 -g -fPIC -shared work.c -o libwork.so && gcc -O2 -g main.c ./libwork.so -o main && strip main")
    recorded = run("pgokit record --software -F 500 -o lib.perf -- ./main")
    assert "-b " + os.path.realpath("libwork.so") in next_commands(recorded)[0], recorded
    follow(recorded, "-fPIC -shared work.c")


def try_attached():
    run("gcc -O2 -g main.c work.c -o app")
    app = subprocess.Popen("./app")
    recorded = run(f"pgokit record --software -F 500 -o pid.perf -p {app.pid}")
    app.wait()
    follow(recorded, "main.c work.c")


def try_stripped():
    run("gcc -O2 main.c work.c -o app && strip app")
    recorded = run("pgokit record --software -F 500 -o bare.perf -- ./app")
    assert "which is stripped" in recorded and "next:" not in recorded, recorded
    refused = subprocess.run(["pgokit", "generate", "bare.perf"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "which is stripped" in refused.stderr, refused.stderr


def try_block_map():
    """Without lines and probes there is no profile of it, but a layout."""
    if not shutil.which("clang-22"):
        return
    run("clang-22 -O2 -ffunction-sections -fuse-ld=lld-22 -Wl,--build-id -fbasic-block-address-map main.c work.c -o app")
    recorded = run("pgokit record --software -F 500 -o map.perf -- ./app")
    assert "a profile wants a build with -g" in recorded, recorded
    generated = run(next_commands(recorded)[0].partition("   #")[0])
    compiled, linked = next_commands(generated)
    run(compiled.replace(" ... ", " ").removesuffix(" -c ...") + " " + linked.partition(" ... ")[2] + " main.c work.c -o rebuilt")
    run("./rebuilt")


def try_busy_libc():
    """What is said is about the program, wherever most samples are."""
    with open("prints.c", "w") as source:
        source.write(PRINTS)
    for options, lack in {"": "neither debug information", "-s": "which is stripped", "-g": ""}.items():
        run(f"gcc -O1 {options} prints.c -o prints")
        recorded = run("pgokit record --software -F 500 -o prints.perf -- ./prints")
        share = re.search(r"([\d.]+) % of the branches", recorded)
        assert "libc.so" not in recorded, recorded
        if not lack:
            follow(recorded, "prints.c")
            continue
        assert share and lack in recorded and os.path.realpath("prints") in recorded and "-g" in recorded, recorded
        refused = refusal("generate prints.perf")
        assert lack in refused and os.path.realpath("prints") in refused, refused
    os.remove("prints")
    refused = refusal("generate prints.perf")
    assert os.path.realpath("prints") in refused and "which is not here; give the program with -b" in refused, refused


def refusal(command):
    done = subprocess.run("pgokit " + command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    return done.stderr


def try_clock():
    """Without branch stacks the profile is an estimate, which has to be asked for."""
    run("gcc -O2 -g main.c work.c -o app")
    done = subprocess.run("pgokit record -e cpu-clock -o clock.perf -- ./app", shell=True, capture_output=True, text=True, check=False)
    if done.returncode == 1 and "cannot be used" in done.stderr:
        return print("no clock to be sampled by here")
    assert "without branch stacks" in done.stderr, done
    return follow(done.stderr, "main.c work.c")


def try_flat():
    """A compiler: most of its code is new at any time."""
    with open("flat.c", "w") as source:
        source.writelines(f"int f{i}(int *a, int n) {{ int s = {i}; while (n--) s += a[n] > s ? a[n] * {i} : n ^ s; return s; }}\n"
                          for i in range(400))
    done = subprocess.run("pgokit record --software -o flat.perf -- clang-22 -O2 -c flat.c -o flat.o", shell=True,
                          capture_output=True, text=True, check=True)
    windows = re.search(r"counted in ([\d,]+) windows", done.stderr)
    if windows and int(windows[1].replace(",", "")) >= 5 and "--exact" in done.stderr:
        assert "in ten times its time or more" in done.stderr, done


def try_generated():
    with open("generated.c", "w") as source:
        source.write(GENERATED)
    run("gcc -O2 generated.c -o generated")
    # A window may fall into the program's first instructions.
    done = subprocess.run("pgokit record --software -F 500 -o generated.perf -- ./generated", shell=True,
                          capture_output=True, text=True, check=False)
    assert "could not be followed: it is generated at run time" in done.stderr and "--exact counts" not in done.stderr, done
    if "not written" in done.stderr:
        assert not os.path.exists("generated.perf"), done
    else:
        said = refusal("generate generated.perf")
        assert "which is code generated at run time" in said or "in /" in said and "ld-linux" in said, said
    run("gcc -O2 -g generated.c -o generated")
    run("pgokit record --exact -o generated.perf -- ./generated")
    said = run("pgokit generate generated.perf -b generated -o generated.prof")
    assert "generated at run time was met 1 time, and what followed for a while is not counted" in said, said
    try_generated_often()


def try_generated_often():
    """A server whose patterns are compiled as it runs is not stopped for each of them."""
    often = "  for (int i = 0; i < 200000; i++) getppid(), ((void (*)(void))code)();\n}"
    with open("often.c", "w") as source:
        source.write("#include <unistd.h>\n" + GENERATED.replace("0x60", "0").replace("0xb9, 0, 0, 0, 0", "0xb9, 9, 0, 0, 0")
                     .replace("  ((void (*)(void))code)();\n}", often))
    run("gcc -O2 -g often.c -o often")
    told = json.loads(run("pgokit record --exact --stats -o often.perf -- ./often"))
    assert 0 < told["generated"] < 20000 and told["stops"] < 50000, told


def try_rust():
    run("cargo init -q --name rs --bin rs")
    os.chdir("rs")
    with open("src/main.rs", "w") as source:
        source.write(RUST)
    run("RUSTFLAGS='-g -Cstrip=none' cargo build -q --offline --release")
    follow(run("pgokit record --software -F 500 -o rs.perf -- target/release/rs"), "")
    # A window may hold the start of the standard library, where debug information has names of merged functions that no symbol has.
    found = subprocess.run(["pgokit", "check", "rs.prof", "-b", "target/release/rs", "--max-vanished", "0.01"],
                           capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def try_empty():
    # Even `true` runs for a millisecond, in which a sample can fall; this ends with its first system call.
    with open("empty.c", "w") as source:
        source.write("void _start(void) { register int status asm(\"edi\") = 0; asm volatile(\"syscall\" : : \"a\"(60), \"r\"(status)); }\n")
    run("gcc -O2 -static -g -nostdlib empty.c -o empty")
    run("gcc -O2 -g main.c work.c -o app")
    with open("empty.perf", "w") as before:
        before.write("of a run before")
    for command in ("record --software -o empty.perf -- ./empty", "record -q --software -o empty.perf -- ./empty"):
        assert "empty.perf: not written, as there are no samples in it" in refusal(command), command
        with open("empty.perf") as kept:
            assert kept.read() == "of a run before", command
    # The program's own code stays that of record.
    with open("fails.c", "w") as source:
        source.write("void _start(void) { asm volatile(\"syscall\" : : \"a\"(60), \"D\"(3)); }\n")
    run("gcc -O2 -static -nostdlib fails.c -o fails")
    done = subprocess.run("pgokit record -q --software -o fails.perf -- ./fails", shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 3 and "there are no samples in it" in done.stderr and "exit code 3" in done.stderr, done


def main():
    pgokit, folder = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "next")
    os.environ["PATH"] = os.path.dirname(pgokit) + ":" + os.environ["PATH"]
    probe = subprocess.run([pgokit, "doctor", "--json"], capture_output=True, text=True, check=True)
    if '"software": true' not in probe.stdout or not shutil.which("gcc"):
        print("SKIPPED: ptrace is not permitted here, or no gcc")
        return 77
    tries = {name: (lambda options=options: try_script(options)) for name, options in BUILDS.items()
             if shutil.which(options.split()[0])}
    tries |= {"library": try_library, "attached": try_attached, "stripped": try_stripped, "busy libc": try_busy_libc,
              "block map": try_block_map, "clock": try_clock, "generated": try_generated, "empty": try_empty}
    if shutil.which("clang-22"):
        tries["flat"] = try_flat
    if shutil.which("cargo"):
        tries["rust"] = try_rust
    for name, attempt in tries.items():
        place = os.path.join(folder, name)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        os.chdir(place)
        for path, text in {"work.c": WORK, "main.c": MAIN}.items():
            with open(path, "w") as source:
                source.write(text)
        attempt()
        print(f"{name}: worked", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
