"""The commands that record and generate print as the next step work as they are printed.

next.py PGOKIT FOLDER: builds a program with each compiler that is installed, records it (behind a
shell script, attached to, and as a library), and runs what is printed, up to the optimized build.
"""

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
    follow(run("pgokit record --software -o run.perf -- ./run.sh"), "main.c work.c", options.split()[0])


def try_library():
    run("gcc -O2 -g -fPIC -shared work.c -o libwork.so && gcc -O2 -g main.c ./libwork.so -o main && strip main")
    recorded = run("pgokit record --software -o lib.perf -- ./main")
    assert "-b " + os.path.realpath("libwork.so") in next_commands(recorded)[0], recorded
    follow(recorded, "-fPIC -shared work.c")


def try_attached():
    run("gcc -O2 -g main.c work.c -o app")
    app = subprocess.Popen("./app")
    recorded = run(f"pgokit record --software -o pid.perf -p {app.pid}")
    app.wait()
    follow(recorded, "main.c work.c")


def try_stripped():
    run("gcc -O2 main.c work.c -o app && strip app")
    recorded = run("pgokit record --software -o bare.perf -- ./app")
    assert "which is stripped" in recorded and "next:" not in recorded, recorded
    refused = subprocess.run(["pgokit", "generate", "bare.perf"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "which is stripped" in refused.stderr, refused.stderr


def try_rust():
    run("cargo init -q --name rs --bin rs")
    os.chdir("rs")
    with open("src/main.rs", "w") as source:
        source.write(RUST)
    run("RUSTFLAGS='-g -Cstrip=none' cargo build -q --offline --release")
    follow(run("pgokit record --software -o rs.perf -- target/release/rs"), "")
    found = subprocess.run(["pgokit", "check", "rs.prof", "-b", "target/release/rs", "--max-vanished", "0"],
                           capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def try_empty():
    # Even `true` runs for a millisecond, in which a sample can fall; this ends with its first system call.
    with open("empty.c", "w") as source:
        source.write("void _start(void) { register int status asm(\"edi\") = 0; asm volatile(\"syscall\" : : \"a\"(60), \"r\"(status)); }\n")
    run("gcc -O2 -static -nostdlib empty.c -o empty")
    done = subprocess.run(["pgokit", "record", "--software", "-o", "empty.perf", "--", "./empty"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "there are no samples in it" in done.stderr, done
    done = subprocess.run(["pgokit", "generate", "empty.perf"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "there are no samples in it" in done.stderr, done


def main():
    pgokit, folder = os.path.abspath(sys.argv[1]), os.path.join(sys.argv[2], "next")
    os.environ["PATH"] = os.path.dirname(pgokit) + ":" + os.environ["PATH"]
    probe = subprocess.run([pgokit, "doctor", "--json"], capture_output=True, text=True, check=True)
    if '"software": true' not in probe.stdout or not shutil.which("gcc"):
        print("SKIPPED: ptrace is not permitted here, or no gcc")
        return 77
    tries = {name: (lambda options=options: try_script(options)) for name, options in BUILDS.items()
             if shutil.which(options.split()[0])}
    tries |= {"library": try_library, "attached": try_attached, "stripped": try_stripped, "empty": try_empty}
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
