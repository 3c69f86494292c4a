#!/usr/bin/env python3
"""propeller.py PGOKIT WALK FOLDER CASE: layouts of recorded programs, built by clang 22 and lld 22; what they build is the judge."""
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys

PGOKIT, WALK = (str(pathlib.Path(tool).resolve()) for tool in sys.argv[1:3])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INTERPRETER = ROOT / "examples" / "interpreter"
FOLDER = pathlib.Path(sys.argv[3]).resolve() / sys.argv[4]
MAP = "-fbasic-block-address-map"

TWO_PATHS = """
static volatile int sink;
__attribute__((noinline)) static int work(int x) {
  if (sink == -5) { sink = x; sink = x + 1; sink = x + 2; sink = x * 3; return x ^ 5; }
  for (int i = 0; i < 8; ++i) sink += i;
  return x + FACTOR;
}
int NAME(int x) { return work(x) + work(x + 1); }
"""
TWO_PATHS_MAIN = """
int one(int), two(int);
int main(void) {
  int s = 0;
  for (int i = 0; i < 3000; ++i) s = one(s) & 0xffff;
  return s == -1 ? two(s) : 0;
}
"""


def run(*command, code=0, cwd=FOLDER):
    done = subprocess.run([*map(str, command)], text=True, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == code, f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def complaint(*command):
    """The one line of a command that fails."""
    done = subprocess.run([*map(str, command)], text=True, cwd=FOLDER, capture_output=True)
    assert done.returncode in (1, 2), (command, done)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def clusters_of(name):
    """function → the numbers of its hot blocks; of a file that clang reads."""
    clusters, names = {}, []
    lines = (FOLDER / name).read_text().splitlines()
    assert lines[0] == "v1", lines[0]
    for line in lines[1:]:
        if line[0] == "f":
            names = line[1:].split()
        elif line[0] == "c":
            clusters[names[0]] = [int(number) for number in line[1:].split()]
    return clusters


def symbols(program):
    """name → address of functions and parts of them, as nm tells."""
    lines = (line.split(maxsplit=2) for line in run("llvm-nm-22", "--defined-only", program).stdout.splitlines())
    return {name: int(address, 16) for address, kind, name in lines if kind in "tTW"}


def parts(program):
    """function → the numbers of its blocks, by part, in the order of their addresses, as readobj tells."""
    found, name, ranges = {}, None, []
    for line in run("llvm-readobj-22", "--bb-addr-map", program).stdout.splitlines():
        word, _, value = line.strip().partition(": ")
        if word == "Name":
            name = value.split(" ")[0]
            found[name] = ranges
        elif word == "At":
            ranges = []
        elif word == "Base Address":
            ranges.append([])
        elif word == "ID" and ranges:
            ranges[-1].append(int(value))
    return found


def record(program, *arguments, out):
    if platform.machine() != "x86_64":
        skip("programs are recorded exactly on x86-64 alone")
    run(PGOKIT, "record", "--exact", "-o", out, "--", f"./{program}", *arguments)


def lay_out(recording, program, name, *options):
    return run(PGOKIT, "generate", recording, "-b", program, "--for", "propeller", "-o", name, *options).stderr


def layout_flags(name):
    return [f"-fbasic-block-sections=list={FOLDER / name}.clusters", "-fuse-ld=lld-22", "-Wl,--build-id",
            f"-Wl,--symbol-ordering-file={FOLDER / name}.symorder", "-Wl,--no-warn-symbol-ordering"]


def compile_all(out, sources, *flags, compiler="clang-22"):
    run(compiler, "-O2", "-ffunction-sections", "-fuse-ld=lld-22", "-Wl,--build-id", *sources, *flags, "-o", out)


def compile_interpreter(out, *flags):
    compile_all(out, sorted(INTERPRETER.glob("*.cc")), "-std=c++23", *flags, compiler="clang++-22")


def taken_branches(recording, program):
    """Of jumps that clang and the linker place: those inside of a function."""
    raw = run(PGOKIT, "generate", recording, "-b", program, "--format", "raw", "-o", "-").stdout.splitlines()
    branches = raw[int(raw[0]) + 2:]
    return sum(int(line.rpartition(":")[2]) for line in branches)


def check_layout(program, name, known):
    """The program has the blocks where the two files say."""
    clusters, found, at = clusters_of(f"{name}.clusters"), parts(program), symbols(program)
    laid_out = 0
    for function, numbers in clusters.items():
        if function not in found:  # an alias, or a copy of another
            continue
        assert found[function][0] == numbers, (function, found[function], numbers)
        all_numbers = sorted(sum(found[function], []))
        assert all_numbers == sorted(known[function]), (function, all_numbers)
        laid_out += 1
    assert laid_out > 0.9 * len(clusters), (laid_out, len(clusters))
    order = [word for word in (FOLDER / f"{name}.symorder").read_text().split() if word in at]
    addresses = [at[word] for word in order]
    assert addresses == sorted(addresses), "the symbols are in another order"
    assert any(word.endswith(".cold") for word in order)
    return laid_out


def interpreter():
    """The demo's interpreter: the same output, blocks and functions where they should be, fewer branches taken."""
    compile_interpreter("plain", MAP, "-g1")
    arguments = (INTERPRETER / "workload.sprig", "1", "8")
    record("plain", *arguments, out="plain.perf")
    text = lay_out("plain.perf", "plain", "app")
    assert re.search(r"^layout +\d+ functions, [\d,]+ of their [\d,]+ blocks hot; score ", text, re.M), text
    assert "-fbasic-block-sections=list=" in text and "-Wl,--symbol-ordering-file=" in text, text
    assert "warning" not in text, text
    compile_interpreter("laid_out", MAP, "-g1", *layout_flags("app"))
    known = {name: sum(ranges, []) for name, ranges in parts("plain").items()}
    print(f"{check_layout('laid_out', 'app', known)} functions are where they should be")
    assert run("./plain", *arguments).stdout == run("./laid_out", *arguments).stdout
    record("laid_out", *arguments, out="laid_out.perf")
    before, after = taken_branches("plain.perf", "plain"), taken_branches("laid_out.perf", "laid_out")
    print(f"branches taken: {before} before, {after} now, {after / before - 1:+.1%}")
    assert after < 0.95 * before
    if shutil.which("valgrind"):
        misses = [instruction_misses(program, *arguments) for program in ("plain", "laid_out")]
        print(f"misses of an instruction cache of 4 KB: {misses[0]} before, {misses[1]} now")
        assert misses[1] < misses[0]
    numbers = json.loads(run(PGOKIT, "generate", "plain.perf", "-b", "plain", "--for", "propeller", "-o", "again", "--json").stdout)
    assert numbers["layout"]["paths"] == ["again.clusters", "again.symorder"], numbers
    assert numbers["layout"]["score"] > numbers["layout"]["score_before"], numbers
    for ending in ("clusters", "symorder"):
        assert (FOLDER / f"again.{ending}").read_bytes() == (FOLDER / f"app.{ending}").read_bytes(), ending
        lay_out("plain.perf", "plain", "one", "--threads", "1")
        assert (FOLDER / f"one.{ending}").read_bytes() == (FOLDER / f"app.{ending}").read_bytes(), ending


def inter():
    """Parts of functions among those of others: each cluster is where the linker was told to put it, and fewer lines are fetched."""
    compile_interpreter("plain", MAP, "-g1")
    arguments = (INTERPRETER / "workload.sprig", "1", "8")
    record("plain", *arguments, out="plain.perf")
    for name, options in (("whole", []), ("inter", ["--inter-procedural"])):
        lay_out("plain.perf", "plain", name, *options)
        compile_interpreter(name, MAP, "-g1", *layout_flags(name))
        assert run("./plain", *arguments).stdout == run(f"./{name}", *arguments).stdout, name
    clusters, function = {}, None
    for line in (FOLDER / "inter.clusters").read_text().splitlines()[1:]:
        if line[0] == "f":
            function = line.split()[1]
            clusters[function] = []
        elif line[0] == "c":
            clusters[function].append([int(number) for number in line[1:].split()])
    found, several = parts("inter"), 0
    for function, wanted in clusters.items():
        if function in found:
            hot = sorted(found[function][:len(wanted)])
            assert hot == sorted(wanted), (function, hot, wanted)
            several += len(wanted) > 1
    assert several > 10, several
    at = symbols("inter")
    addresses = [at[word] for word in (FOLDER / "inter.symorder").read_text().split() if word in at]
    assert addresses == sorted(addresses), "the symbols are in another order"
    if shutil.which("valgrind"):
        misses = [instruction_misses(program, *arguments) for program in ("whole", "inter")]
        print(f"{several} functions in parts; misses of an instruction cache of 4 KB: {misses[0]} in whole functions, {misses[1]} in parts")
        assert misses[1] < misses[0]


def instruction_misses(program, *arguments):
    run("llvm-strip-22", "-g", program, "-o", f"{program}.stripped")  # debug information of clang 22 is new to valgrind
    run("valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=4096,2,64", "--cachegrind-out-file=cache.out", f"./{program}.stripped", *arguments)
    text = (FOLDER / "cache.out").read_text()
    events = re.search(r"^events: (.*)", text, re.M)[1].split()
    return int(re.search(r"^summary: (.*)", text, re.M)[1].split()[events.index("I1mr")])


def again():
    """A program that was laid out is recorded: its blocks still have their numbers, and it keeps its layout."""
    compile_interpreter("plain", MAP)
    arguments = (INTERPRETER / "workload.sprig", "1", "3")
    record("plain", *arguments, out="plain.perf")
    lay_out("plain.perf", "plain", "first")
    compile_interpreter("laid_out", MAP, *layout_flags("first"))
    record("laid_out", *arguments, out="laid_out.perf")
    lay_out("laid_out.perf", "laid_out", "second")
    first, second = clusters_of("first.clusters"), clusters_of("second.clusters")
    assert set(first) == set(second), set(first) ^ set(second)
    for name, numbers in first.items():
        assert set(numbers) == set(second[name]), (name, numbers, second[name])


def statics():
    """Static functions of one name: told apart by their files where debug information tells these, else left out."""
    for name, factor in (("one", 3), ("two", 4)):
        (FOLDER / f"{name}.c").write_text(TWO_PATHS.replace("NAME", name).replace("FACTOR", str(factor)))
    (FOLDER / "main.c").write_text(TWO_PATHS_MAIN)
    sources = ["./one.c", "two.c", "main.c"]
    compile_all("plain", sources, MAP, "-g1")
    record("plain", out="plain.perf")
    lay_out("plain.perf", "plain", "app")
    text = (FOLDER / "app.clusters").read_text()
    assert re.search(r"^m one\.c\nf work\nc0 ", text, re.M), text
    assert text.count("m ") == 1, text
    compile_all("laid_out", sources, MAP, "-g1", *layout_flags("app"))
    at = symbols("laid_out")
    assert "work.cold" in at, at
    cold = [line for line in run("llvm-nm-22", "laid_out").stdout.splitlines() if line.endswith(" work.cold")]
    assert len(cold) == 1, cold  # that of one.c alone
    compile_all("bare", sources, MAP)
    record("bare", out="bare.perf")
    text = lay_out("bare.perf", "bare", "bare")
    assert "left out 1 function whose name others have too" in text, text
    assert "f work" not in (FOLDER / "bare.clusters").read_text()


def hashes():
    """With hashes of blocks the profile has the graph too, and clang finds the blocks of a source that has changed."""
    (FOLDER / "one.c").write_text(TWO_PATHS.replace("NAME", "one").replace("FACTOR", "3"))
    (FOLDER / "main.c").write_text(TWO_PATHS_MAIN.replace("two(s)", "1"))
    flags = [MAP, "-mllvm", "-emit-bb-hash"]
    compile_all("plain", ["one.c", "main.c"], *flags)
    record("plain", out="plain.perf")
    lay_out("plain.perf", "plain", "app")
    text = (FOLDER / "app.clusters").read_text()
    assert re.search(r"^g 0:\d+,", text, re.M) and re.search(r"^h 0:[0-9a-f]+ ", text, re.M), text
    compile_all("laid_out", ["one.c", "main.c"], *flags, *layout_flags("app"))
    assert "work.cold" in symbols("laid_out")
    changed = (FOLDER / "one.c").read_text().replace("sink = x + 2;", "sink = x - 2; sink = 7;")
    (FOLDER / "one.c").write_text(changed)
    compile_all("changed", ["one.c", "main.c"], *flags, "-mllvm", "-basic-block-section-match-infer", *layout_flags("app"))
    assert "work.cold" in symbols("changed")
    run("./changed")


def lto():
    """ThinLTO: the map and the layout are the link's."""
    (FOLDER / "one.c").write_text(TWO_PATHS.replace("NAME", "one").replace("FACTOR", "3"))
    (FOLDER / "main.c").write_text(TWO_PATHS_MAIN.replace("two(s)", "1"))
    compile_all("plain", ["one.c", "main.c"], "-flto=thin", "-Wl,--lto-basic-block-address-map")
    record("plain", out="plain.perf")
    lay_out("plain.perf", "plain", "app")
    compile_all("laid_out", ["one.c", "main.c"], "-flto=thin", f"-Wl,--lto-basic-block-sections={FOLDER}/app.clusters",
                f"-Wl,--symbol-ordering-file={FOLDER}/app.symorder", "-Wl,--no-warn-symbol-ordering")
    assert any(name.endswith(".cold") for name in symbols("laid_out"))
    run("./laid_out")


def aarch64():
    """Of a program for AArch64, whose branches are made up."""
    source = FOLDER / "app.c"
    source.write_text(TWO_PATHS.replace("NAME", "one").replace("FACTOR", "3") + TWO_PATHS_MAIN.replace("int one(int), two(int);", "")
                      .replace("two(s)", "1").replace("main", "_start"))
    flags = ["--target=aarch64-linux-gnu", "-ffreestanding", "-nostdlib", "-static", "-g1", MAP]
    compile_all("plain", [source], *flags)
    run(WALK, "plain", "-o", "plain.perf", "--kind", "lbr", "--samples", "300", "--format", "perfdata")
    lay_out("plain.perf", "plain", "app")
    compile_all("laid_out", [source], *flags, *layout_flags("app"))
    found = parts("laid_out")
    for function, numbers in clusters_of("app.clusters").items():
        assert found[function][0] == numbers, (function, found[function], numbers)


# By the formula of "Improved Basic Block Reordering", as LLVM's code layout has it.
def ext_tsp_score(order, sizes, edges):
    places, at = {}, 0
    for block in order:
        places[block] = at
        at += max(sizes[block], 1)
    ways_out = {source: sum(1 for one, _ in edges if one == source) for source, _ in edges}
    score = 0
    for (source, target), count in edges.items():
        if source == target or source not in places or target not in places:
            continue
        distance = places[target] - places[source] - max(sizes[source], 1)
        reach = 1024 if distance > 0 else 640
        if distance == 0:
            score += count * (1.05 if ways_out[source] == 1 else 1)
        elif abs(distance) < reach:
            score += count * 0.1 * (1 - abs(distance) / reach)
    return score


def mapped_blocks(program):
    """function → number of a block → (address, size), as readobj tells; of functions in one piece."""
    found, name, base, number, offset = {}, None, 0, 0, 0
    for line in run("llvm-readobj-22", "--bb-addr-map", program).stdout.splitlines():
        word, _, value = line.strip().partition(": ")
        if word == "Name":
            name = value.split(" ")[0]
            found[name] = blocks
        elif word == "At":
            blocks = {}
        elif word == "Base Address":
            base = int(value, 16)
        elif word == "ID":
            number = int(value)
        elif word == "Offset":
            offset = int(value, 16)
        elif word == "Size":
            blocks[number] = (base + offset, int(value, 16))
    return found


def counted_graphs(name):
    """function → (order of its hot blocks, counts of edges), of a profile with graphs."""
    graphs, function, order = {}, None, []
    for line in (FOLDER / name).read_text().splitlines()[1:]:
        if line[0] == "f":
            function = line.split()[1]
        elif line[0] == "c":
            order = [int(number) for number in line[1:].split()]
        elif line[0] == "g":
            edges = {}
            for node in line[1:].split():
                source, *targets = node.split(",")
                for target in targets:
                    number, count = target.split(":")
                    edges[int(source.split(":")[0]), int(number)] = int(count)
            graphs[function] = order, edges
    return graphs


def bolt_orders(text):
    """function → addresses where its blocks began, in the order that llvm-bolt gave them.

    Its graphs have every instruction where it was, and its names of blocks stay the same after it has ordered them.
    """
    begins, orders, function, stage, label = {}, {}, None, None, None
    for line in text.splitlines():
        if head := re.match(r'Binary Function "([^"(/]+).*" after (building cfg|reorder-blocks) ', line):
            function, stage, label = head[1], head[2], None
        elif head := re.match(r"  Address     : (0x\w+)", line):
            address = int(head[1], 16)
        elif line.startswith("  BB Layout   : ") and stage == "reorder-blocks":
            known = begins.get(function, {})
            orders[function] = [known[block] for block in line.partition(": ")[2].split(", ") if block in known]
        elif stage == "building cfg" and (head := re.match(r"(\.\w+) \(\d+ instructions", line)):
            label = head[1]
        elif label and (instruction := re.match(r"    ([0-9a-f]{8}):", line)):
            begins.setdefault(function, {})[label] = address + int(instruction[1], 16)
            label = None
    return orders


def bolt():
    """The orders of blocks that llvm-bolt's ext-TSP and ours make of the same counts, by one formula."""
    bolt = pathlib.Path("/usr/lib/llvm-22/bin/llvm-bolt")
    if not bolt.exists():
        skip("there is no bolt-22")
    compile_interpreter("plain", MAP, "-mllvm", "-emit-bb-hash", "-Wl,--emit-relocs")
    record("plain", INTERPRETER / "workload.sprig", "1", "8", out="plain.perf")
    lay_out("plain.perf", "plain", "app")
    run(PGOKIT, "generate", "-q", "plain.perf", "-b", "plain", "--for", "bolt", "-o", "plain.fdata")
    text = run(bolt, "plain", "-o", "bolted", "-data", "plain.fdata", "-reorder-blocks=ext-tsp", "-print-cfg",
               "-print-reordered", "-lite=0").stdout
    orders, maps = bolt_orders(text), mapped_blocks("plain")
    ours = theirs = before = 0
    compared = 0
    for function, (order, edges) in counted_graphs("app.clusters").items():
        blocks, begins = maps.get(function), orders.get(function)
        if not blocks or not begins or not edges:
            continue
        place = {address: number for number, address in enumerate(begins)}

        def where(number):
            address = blocks[number][0]
            holder = max((begin for begin in begins if begin <= address), default=begins[0])
            return place[holder], address
        sizes = {number: size for number, (_, size) in blocks.items()}
        by_bolt = sorted(blocks, key=where)
        by_address = sorted(blocks, key=lambda number: blocks[number][0])
        rest = [number for number in by_address if number not in order]
        ours += ext_tsp_score(order + rest, sizes, edges)
        theirs += ext_tsp_score(by_bolt, sizes, edges)
        before += ext_tsp_score(by_address, sizes, edges)
        compared += 1
    print(f"{compared} functions: score {before:,.0f} as compiled, {theirs:,.0f} by llvm-bolt, {ours:,.0f} by ours")
    assert compared > 40 and theirs > before
    assert ours >= theirs, (ours, theirs)


def kernel():
    """A program that is linked as Linux is, with a recording of the kernel's addresses; modules are refused."""
    source = FOLDER / "app.c"
    source.write_text(TWO_PATHS.replace("NAME", "one").replace("FACTOR", "3") + TWO_PATHS_MAIN.replace("int one(int), two(int);", "")
                      .replace("two(s)", "1").replace("main", "_start"))
    flags = ["-ffreestanding", "-nostdlib", "-static", "-mcmodel=kernel", "-fno-pie", "-no-pie", "-mno-red-zone", "-Wl,--emit-relocs",
             "-Wl,-Ttext=0xffffffff81000000", "-Wl,--image-base=0xffffffff80000000", "-g1", MAP]
    compile_all("vmlinux", [source], *flags)
    assert any(address >= 0xffffffff81000000 for address in symbols("vmlinux").values())
    run(WALK, "vmlinux", "-o", "kernel.perf", "--kind", "lbr", "--samples", "300", "--format", "perfdata", "--name", "[kernel.kallsyms]_text")
    propeller = ["--cc_profile=app.clusters", "--ld_profile=app.symorder"]
    for more in ([], ["--profiled_binary_name=[kernel.kallsyms]"]):
        run(PGOKIT, "generate_propeller_profiles", "--binary=vmlinux", "--profile=kernel.perf", *propeller, *more)
        compile_all("laid_out", [source], *flags, *layout_flags("app"))
        found = parts("laid_out")
        for function, numbers in clusters_of("app.clusters").items():
            assert found[function][0] == numbers, (function, found[function], numbers)
        (FOLDER / "app.clusters").unlink()
    run("clang-22", "-O2", "-mcmodel=kernel", "-fno-pie", MAP, "-c", source, "-o", "module.ko")
    text = complaint(PGOKIT, "generate_propeller_profiles", "--binary=module.ko", "--profile=kernel.perf", *propeller)
    assert "a relocatable object, as kernel modules are" in text, text


def small():
    (FOLDER / "one.c").write_text(TWO_PATHS.replace("NAME", "one").replace("FACTOR", "3"))
    (FOLDER / "main.c").write_text(TWO_PATHS_MAIN.replace("two(s)", "1"))
    compile_all("plain", ["one.c", "main.c"], MAP, "-g", "-fdebug-info-for-profiling")
    for number in "12":
        run(WALK, "plain", "-o", f"{number}.perf", "--kind", "lbr", "--samples", "200", "--format", "perfdata", "--seed", number)


def drop_ins():
    """create_llvm_prof and generate_propeller_profiles, also by symlinks, lists of recordings among them."""
    small()
    run(PGOKIT, "generate", "1.perf", "2.perf", "-b", "plain", "--for", "propeller", "-o", "app")
    (FOLDER / "list").write_text("1.perf\n\n2.perf\n")
    propeller = ["--binary=plain", "--format=propeller", "--out=cc.txt", "--propeller_symorder=ld.txt"]
    tools = {}
    for name in ("create_llvm_prof", "generate_propeller_profiles"):
        tools[name] = FOLDER / name
        tools[name].unlink(missing_ok=True)
        tools[name].symlink_to(PGOKIT)

    def same():
        for ending, file in (("clusters", "cc.txt"), ("symorder", "ld.txt")):
            assert (FOLDER / f"app.{ending}").read_text() == (FOLDER / file).read_text(), ending
            (FOLDER / file).unlink()
    create, generate = [PGOKIT, "create_llvm_prof"], [PGOKIT, "generate_propeller_profiles"]
    for command in (create, [tools["create_llvm_prof"]]):
        run(*command, *propeller, "--profile=@list")
        same()
    for profile in ("1.perf,2.perf", "@list"):
        for command in (generate, [tools["generate_propeller_profiles"]]):
            run(*command, "--binary=plain", f"--profile={profile}", "--cc_profile=cc.txt", "--ld_profile=ld.txt")
            same()
    run(*create, *propeller, "--profile=@list", "--propeller_output_module_name")
    assert "m one.c\n" in (FOLDER / "cc.txt").read_text()
    for form in ("text", "binary", "extbinary"):
        run(*create, "-binary", "plain", "-profile", "1.perf", f"-format={form}", "-out", "ours.prof")
        run(PGOKIT, "generate", "1.perf", "-b", "plain", "--format", form, "-o", "wanted.prof")
        assert (FOLDER / "ours.prof").read_bytes() == (FOLDER / "wanted.prof").read_bytes(), form
    # The name that the recording has: another than the file's wants a build id.
    shutil.copy(FOLDER / "plain", FOLDER / "renamed")
    binary = ["--profile=1.perf,2.perf", "--cc_profile=cc.txt", "--ld_profile=ld.txt"]
    run(*generate, "--binary=plain", "--profiled_binary_name=/somewhere/plain", *binary)
    same()
    run("llvm-objcopy-22", "--remove-section=.note.gnu.build-id", "renamed")
    text = complaint(*generate, "--binary=renamed", "--profiled_binary_name=plain", *binary)
    assert "no build id to find it by" in text, text
    run(*generate, "--binary=plain", "--propeller_options=code_layout_params { inter_function_reordering: false }", *binary)
    same()
    run(*generate, "--binary=plain", '--propeller_options="code_layout_params { inter_function_reordering: true }"', *binary)
    run(PGOKIT, "generate", "1.perf", "2.perf", "-b", "plain", "--for", "propeller", "--inter-procedural", "-o", "parts")
    assert (FOLDER / "parts.clusters").read_text() == (FOLDER / "cc.txt").read_text()
    text = complaint(*generate, "--binary=plain", "--propeller_options=code_layout_params { chain_split: true }", *binary)
    assert "chain_split is not known" in text, text
    refused = {"--propeller_symorder=FILE is missing": [*create, *propeller[:3], "--profile=1.perf"],
               "--out=FILE is missing": [*create, "--binary=plain", "--profile=1.perf"],
               "--format=gcov: there are text": [*create, "--binary=plain", "--profile=1.perf", "--out=x", "--format=gcov"],
               "--propeller_symorder is for": [*create, "--binary=plain", "--out=x", "--propeller_symorder=y"],
               "none: it names no": [*create, *propeller, "--profile=@none"],
               "PERF_LBR": [*generate, "--binary=plain", "--profile=1.perf", "--profile_type=PERF_SPE", "--cc_profile=x", "--ld_profile=y"]}
    (FOLDER / "none").write_text("\n\n")
    for words, command in refused.items():
        assert words in complaint(*command), complaint(*command)
    unknown = subprocess.run([*create, "--use_magic=1", "--binary=plain"], text=True, cwd=FOLDER, capture_output=True)
    assert unknown.returncode == 1 and "--use_magic" in unknown.stderr, unknown
    assert not (FOLDER / "x").exists() and not (FOLDER / "y").exists()


def bad_input():
    """One line that says what is missing, and no file."""
    small()
    generate = [PGOKIT, "generate", "1.perf", "--for", "propeller"]
    compile_all("bare", ["one.c", "main.c"])
    text = complaint(*generate, "-b", "bare", "-o", "out")
    assert "bare has no map of its blocks: compile it with -fbasic-block-address-map" in text, text
    if platform.machine() == "x86_64":  # a recording with a build id
        record("plain", out="1.perf")
        compile_all("other/plain", ["one.c", "main.c"], MAP, "-g", "-O1")
        text = complaint(*generate, "-b", "other/plain", "-o", "out")
        assert "another build" in text, text
    run("clang-22", "--target=riscv64-linux-gnu", "-O2", "-ffreestanding", "-nostdlib", "-static", "-fuse-ld=lld-22", "-c", "one.c", "-o", "riscv.o")
    run("ld.lld-22", "riscv.o", "-e", "one", "-o", "riscv")
    text = complaint(*generate, "-b", "riscv", "-o", "out")
    assert "x86-64 and AArch64" in text, text
    run("llvm-objcopy-22", "--update-section", ".llvm_bb_addr_map=/dev/null", "plain", "empty", code=0)
    text = complaint(*generate, "-b", "empty", "-o", "out", "--ignore-build-id")
    assert "none of what ran is in the 0 functions of the block map" in text, text
    data = FOLDER / "map"
    run("llvm-objcopy-22", "--dump-section", f".llvm_bb_addr_map={data}", "plain")
    data.write_bytes(b"\x09" + data.read_bytes()[1:])
    run("llvm-objcopy-22", "--update-section", f".llvm_bb_addr_map={data}", "plain", "newer")
    text = complaint(*generate, "-b", "newer", "-o", "out", "--ignore-build-id")
    assert "version 9 of the block map is not known: 2 to 5 are" in text, text
    (FOLDER / "ranges.raw").write_text("1\n0-4:3\n0\n")
    text = complaint(PGOKIT, "generate", "ranges.raw", "-b", "plain", "--for", "propeller", "-o", "out")
    assert "does not tell which branches were taken" in text, text
    assert "several files" in complaint(*generate, "-b", "plain", "-o", "-")
    (FOLDER / "taken.symorder").mkdir(exist_ok=True)
    text = complaint(*generate, "-b", "plain", "-o", "taken")
    assert "taken.symorder: is a folder" in text and not (FOLDER / "taken.clusters").exists(), text
    for ending in ("clusters", "symorder"):
        assert not (FOLDER / f"out.{ending}").exists(), ending


if not all(map(shutil.which, ("clang-22", "ld.lld-22", "llvm-readobj-22", "llvm-nm-22"))):
    skip("clang-22, lld-22 or LLVM's tools are not installed (./dev setup)")
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
(FOLDER / "other").mkdir()
globals()[sys.argv[4]]()
