"""Real programs from Debian's source packages, built plain and counted, each with a training run of about 2 s.

    program = built("zstd", WORK, pgokit)        # raises Missing, which says why it cannot be had here
    program.command(program.plain)               # the training run, in program.folder; deterministic
    program.count(pgokit, "truth")               # exact counts of its blocks, as profiles

A training run is a shell script, given the program as its arguments, so that an emulator can be put before it.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import profile_shares
import source_package
import training_inputs
from source_package import Missing

# Blocks are judged by probes: lines also depend on where the compiler has none, which differs with every instruction inserted.
FLAGS = "-O2 -g1 -fdebug-info-for-profiling -funique-internal-linkage-names -fpseudo-probe-for-profiling"
RECORDED = ("sqlite3", "lua5.4", "zstd", "ninja-build", "xz-utils")  # those that bench/record.py measures
KINDS = {"probes": [], "lines": ["--use-dwarf"]}  # of profiles, and the options of `pgokit generate`


@dataclasses.dataclass
class Recipe:
    """Shell scripts: `build` makes ./program in the folder of the sources by CC, CXX and FLAGS; `train` runs "$@", and so do
    `short`, for what takes a hundred times as long, and `measure`, for the gain of a profile: other work of the same kind, in a
    folder with inputs of its own."""
    about: str
    build: str
    train: str
    write_inputs: object = lambda folder: None
    needs: tuple = ()  # tools that build it
    short: str = ""    # none: that of training
    measure: str = ""  # none: the gain is not measured
    write_others: object = lambda folder: None
    language: str = "c"  # or rust: RUSTFLAGS for its compiler, the one of Debian
    installed: str = ""  # where a package of Debian has the sources, with the version at the end


def cargo_build(name, unused="dev-dependencies"):
    """By Debian's crates, in the versions that Debian has; without the sections of crates that are not used."""
    return f"""rm -f Cargo.lock
           awk '/^\\[/ {{ unused = /{unused}/ }} !unused && !/^(debug|simd-accel) *=/' Cargo.toml > used.toml
           mv used.toml Cargo.toml
           mkdir -p .cargo
           printf '[source.crates-io]\\nreplace-with = "debian"\\n[source.debian]\\ndirectory = "/usr/share/cargo/registry"\\n' > .cargo/config.toml
           CARGO_HOME=$PWD/home RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo build --release --offline --bin {name}
           cp target/release/{name} program"""


RECIPES = {
    "sqlite3": Recipe(
        "speedtest1: six runs, five in memory, one in a file",
        """./configure --disable-tcl --disable-readline
           make sqlite3.c
           $CC $FLAGS -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. test/speedtest1.c sqlite3.c -o program -lm""",
        """for size in 20 25 30; do "$@" --size $size; done
           "$@" --size 25 --testset cte
           "$@" --size 10 --testset orm
           rm -f test.db; "$@" --size 20 --nosync test.db""",
        needs=("tclsh", "make"),
        short="""for set in main orm; do "$@" --size 3 --testset $set; done
           rm -f test.db; "$@" --size 1 --nosync test.db""",
        measure="""for size in 15 38; do "$@" --size $size > /dev/null; done
           "$@" --size 15 --testset cte > /dev/null
           "$@" --size 6 --testset orm > /dev/null
           "$@" --size 8 --testset fp > /dev/null"""),
    "lua5.4": Recipe(
        "three scripts (objects, strings, numbers), five times each",
        # Tables hash pointers: by their place in a page, which does not depend on where memory lies.
        """sed -i '/define point2uint/s/UINT_MAX/4095/' src/llimits.h
           $CC $FLAGS -DLUA_USE_POSIX '-Dluai_makeseed(L)=1' '-Dl_randomizePivot()=1' \
               $(ls src/*.c | grep -v luac.c) -o program -lm""",
        """for round in 1 2 3 4 5; do for script in objects strings numbers; do "$@" $script.lua; done; done""",
        training_inputs.write_scripts,
        short="""for script in objects strings numbers; do "$@" $script.lua; done""",
        measure="""for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do for script in records search; do "$@" $script.lua; done; done""",
        write_others=training_inputs.write_scripts),
    "zstd": Recipe(
        "10 files of 3 MB by -1, -3, -6 and -9, and back: 80 short processes",
        """make -C programs CC="$CC" CFLAGS="$FLAGS" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_NO_ASM=1 zstd-release
           cp programs/zstd program""",
        """for part in 0 1 2 3 4 5 6 7 8 9; do for level in 1 3 6 9; do
             "$@" -q -f --single-thread --no-asyncio -$level text.$part -o packed
             "$@" -q -f --single-thread --no-asyncio -d packed -o unpacked
           done; done""",
        training_inputs.write_text, ("make",),
        """for level in 1 3 6 9; do
             "$@" -q -f --single-thread --no-asyncio -$level small.0 -o packed
             "$@" -q -f --single-thread --no-asyncio -d packed -o unpacked
           done""",
        """for part in 1 2 3 4; do for level in 1 3 5 8; do
             "$@" -q -f --single-thread --no-asyncio -$level text.$part -o packed
             "$@" -q -f --single-thread --no-asyncio -d packed -o unpacked
           done; done""",
        training_inputs.other(training_inputs.write_text)),
    "ninja-build": Recipe(
        "a manifest of 25,000 edges: dry runs, and -t commands, graph, targets, compdb",
        """CXX="$CXX" CFLAGS="$FLAGS" LDFLAGS= python3 ./configure.py
           ninja ninja
           cp ninja program""",
        """for tool in commands "targets all" compdb graph "query everything"; do "$@" -t $tool; done
           for program in 1 80 160; do "$@" -n out/bin/program$program; done
           "$@" -n; "$@" -n -v; "$@" -n -d explain""",
        training_inputs.write_manifest, ("ninja",),
        """"$@" -t commands; "$@" -n out/bin/program1""",
        """for tool in "commands out/bin/program33" "rules" compdb "targets depth 2" "query everything"; do "$@" -t $tool; done
           for program in 17 99; do "$@" -n -v out/bin/program$program; done
           "$@" -n""",
        training_inputs.other(training_inputs.write_manifest)),
    "xz-utils": Recipe(
        "4 files of 0.7 MB by -0, -3 and -6, one as .lzma, and back: 32 short processes",
        """./configure CC="$CC" CFLAGS="$FLAGS" --disable-shared --disable-nls --disable-doc --disable-scripts --disable-threads
           make -C src/liblzma && make -C src/xz
           cp src/xz/xz program""",
        """for part in 0 1 2 3; do for way in -0 -3 -6 --format=lzma\\ -2; do
             "$@" -c $way small.$part > packed
             "$@" -d -c packed > unpacked
           done; done""",
        training_inputs.write_text, ("make",),
        """for way in -0 -6 --format=lzma\\ -2; do
             "$@" -c $way small.0 > packed
             "$@" -d -c packed > unpacked
           done""",
        """for part in 2 3; do for way in -1 -4 --format=lzma\\ -3; do
             "$@" -c $way small.$part > packed
             "$@" -d -c packed > unpacked
           done; done""",
        training_inputs.other(training_inputs.write_text)),
    "bzip2": Recipe(
        "2 files of 0.7 MB by -1 and -9, and back",
        """make CC="$CC" CFLAGS="$FLAGS" LDFLAGS= bzip2
           cp bzip2 program""",
        """for part in 0 1; do for level in 1 9; do
             "$@" -c -$level small.$part > packed
             "$@" -d -c packed > unpacked
           done; done""",
        training_inputs.write_text, ("make",),
        """for level in 1 9; do
             head -c 100000 small.0 > part
             "$@" -c -$level part > packed
             "$@" -d -c packed > unpacked
           done"""),
    "gzip": Recipe(
        "4 files of 0.7 MB by -1, -6 and -9, and back",
        """./configure CC="$CC" CFLAGS="$FLAGS"
           make
           cp gzip program""",
        """for part in 0 1 2 3; do for level in 1 6 9; do
             "$@" -c -$level small.$part > packed
             "$@" -d -c packed > unpacked
           done; done""",
        training_inputs.write_text, ("make",)),
    "lz4": Recipe(
        "3 files of 3 MB by -1, -4 and -9, and back",
        """make -C programs CC="$CC" CFLAGS="$FLAGS" lz4
           cp programs/lz4 program""",
        """for part in 0 1 2; do for level in 1 4 9; do
             "$@" -q -f -$level text.$part packed
             "$@" -q -f -d packed unpacked
           done; done""",
        training_inputs.write_text, ("make",)),
    "brotli": Recipe(
        "4 files of 0.7 MB by -q 1, 5 and 9, and back",
        """$CC $FLAGS -Ic/include $(ls c/common/*.c c/dec/*.c c/enc/*.c) c/tools/brotli.c -o program -lm""",
        """for part in 0 1 2 3; do for level in 1 5 9; do
             "$@" -f -q $level small.$part -o packed
             "$@" -f -d packed -o unpacked
           done; done""",
        training_inputs.write_text),
    "gawk": Recipe(
        "4 files of 0.7 MB, eight times: words counted, fields added up, lines rewritten by regular expressions",
        """./configure CC="$CC" CFLAGS="$FLAGS" --disable-nls --disable-extensions --disable-pma --without-mpfr --without-readline
           make -C support && make gawk
           cp gawk program""",
        """for round in 1 2 3 4 5 6 7 8; do for part in 0 1 2 3; do
             LC_ALL=C "$@" '{ for (i = 1; i <= NF; ++i) ++n[$i] } END { for (word in n) sum += n[word] * length(word); print sum }' small.$part
             LC_ALL=C "$@" -F '[:,]' '/"id"/ { sum += $2; names = names substr($4, 1, 3) } END { print sum, length(names) }' small.$part
             LC_ALL=C "$@" '{ gsub(/[aeiou]+t/, "<&>"); if (match($0, /<o[a-z]*>.*<e/)) print toupper(substr($0, RSTART, 40)) }' small.$part
           done; done""",
        training_inputs.write_text, ("make",),
        short="""for part in 0 1; do
             LC_ALL=C "$@" '{ for (i = 1; i <= NF; ++i) ++n[$i] } END { for (word in n) sum += n[word] * length(word); print sum }' small.$part
             LC_ALL=C "$@" -F '[:,]' '/"id"/ { sum += $2; names = names substr($4, 1, 3) } END { print sum, length(names) }' small.$part
             LC_ALL=C "$@" '{ gsub(/[aeiou]+t/, "<&>"); if (match($0, /<o[a-z]*>.*<e/)) print toupper(substr($0, RSTART, 40)) }' small.$part
           done""",
        measure="""for round in 1 2 3 4; do for part in 2 3; do
             LC_ALL=C "$@" '{ for (i = NF; i > 0; --i) line[NR % 50] = line[NR % 50] " " $i; seen[length($1)]++ }
                            END { for (n in seen) print n, seen[n]; print length(line[7]) }' small.$part
             LC_ALL=C "$@" -F '[":]' '/name/ { if ($7 ~ /^[a-m]/) low++; else high[substr($7, 1, 2)] += length } END { for (h in high) s += high[h]; print low, s }' small.$part
             LC_ALL=C "$@" '{ n = split($0, part, /[ ,.]+/); for (i = 1; i <= n; ++i) if (sub(/e$/, "E", part[i])) k++; print index($0, "th"), k, sprintf("%08.3f|%-12s", k / 7, part[1]) }' small.$part
           done; done""",
        write_others=training_inputs.other(training_inputs.write_text)),
    "leveldb": Recipe(
        "a database of 60,000 values: written at random, read, searched, deleted, compacted",
        f"""CXXFLAGS="$FLAGS" cmake -B out -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG -DLEVELDB_BUILD_TESTS=OFF \\
               -DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=0 -DHAVE_CRC32C=0 -DHAVE_TCMALLOC=0
           make -C out leveldb
           $CXX $FLAGS -std=c++17 -Iinclude {training_inputs.SCRIPTS}/store.cc out/libleveldb.a -pthread -o program""",
        """for seed in 1 2 3; do rm -rf data; "$@" data 60000 $seed 100; done""",
        needs=("cmake", "make"),
        short="""rm -rf data; "$@" data 4000 1 100""",
        measure="""for size in 40 80 120 160; do rm -rf data; "$@" data 50000 9 $size; done"""),
    "perl": Recipe(
        "three scripts (objects, text, numbers), three times each",
        """./Configure -des -Dcc="$CC" -Doptimize="$FLAGS" -Uusedl -Dnoextensions='DB_File GDBM_File NDBM_File ODBM_File'
           make -j$(nproc) miniperl
           cp miniperl program""",
        """export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0
           for round in 1 2 3; do for script in objects text numbers; do "$@" $script.pl; done; done""",
        training_inputs.write_scripts, ("make",),
        """export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0
           for script in objects text numbers; do "$@" $script.pl 40; done""",
        """export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0
           for round in 1 2 3; do for script in records life; do "$@" $script.pl; done; done""",
        training_inputs.write_scripts),
    "pulldown-cmark": Recipe(
        "three texts in Markdown of 1.5 MB, ten times each with other extensions of it",
        cargo_build("pulldown-cmark"),
        """for round in 1 2 3 4 5 6 7 8 9 10; do for part in 0 1 2; do
             "$@" -T -F -S -L < mark.$part
             "$@" < mark.$part
           done; done""",
        training_inputs.write_markdown, ("/usr/bin/cargo", "/usr/bin/rustc"),
        """for part in 0 1 2; do head -c 100000 mark.$part | "$@" -T -F -S -L; done""",
        """for round in 1 2 3 4 5 6; do for part in 0 1 2; do
             "$@" -T -S < mark.$part
             "$@" -F < mark.$part
           done; done""",
        training_inputs.other(training_inputs.write_markdown), "rust", "/usr/share/cargo/registry/pulldown-cmark-*"),
    "rust-ripgrep": Recipe(
        "3 files of 3 MB, searched ten times by six patterns: words, alternatives, classes, letters of either case",
        # Of Debian's packages librust-{grep,ignore,bstr,clap-2,num-cpus,serde-json,termcolor}-dev. jemalloc is for musl.
        cargo_build("rg", "dev-dependencies|jemallocator"),
        """for round in 1 2 3 4 5 6 7 8 9 10; do for part in 0 1 2; do
             "$@" --no-config -a -j1 -c '[aeiou]{3}[^aeiou ]+t\\b' text.$part
             "$@" --no-config -a -j1 -o -i '"name": "(s|th)[a-z]+"' text.$part | tail -n 3
             "$@" --no-config -a -j1 -n -w 'ten|tea|sea|net' text.$part | tail -n 3
             "$@" --no-config -a -j1 -c -v '\\p{Greek}|[[:punct:]]{4}' text.$part
             "$@" --no-config -a -j1 -c '^(\\w+ ){8}.*e\\.$' text.$part
             "$@" --no-config -a -j1 --stats -q 'value.: [0-9]+\\.[0-9]*77' text.$part | head -n 3
           done; done""",
        training_inputs.write_text, ("/usr/bin/cargo", "/usr/bin/rustc"),
        """"$@" --no-config -a -j1 -c '[aeiou]{3}[^aeiou ]+t\\b' small.0
           "$@" --no-config -a -j1 -o -i '"name": "(s|th)[a-z]+"' small.0
           "$@" --no-config -a -j1 -c -w 'ten|tea|sea|net' small.0
           "$@" --no-config -a -j1 -c '^(\\w+ ){8}.*e\\.$' small.0""",
        """for round in 1 2 3; do for part in 3 4 5; do
             "$@" --no-config -a -j1 -c '"id": [0-9]*9, .*[st]{2}' text.$part
             "$@" --no-config -a -j1 -o -w '[a-e][a-z]{5,9}' text.$part | tail -n 3
             "$@" --no-config -a -j1 -i -c 'ONE|two|hat|oat|rest' text.$part
             "$@" --no-config -a -j1 -c '(\\w)[aeiou]{2,} .*\\.$' text.$part
           done; done""",
        training_inputs.other(training_inputs.write_text), "rust"),
}


def run(command, folder, log="", **environment):
    """All that it prints, which also goes into the file `log` of the folder."""
    command = [str(word) for word in command]
    done = subprocess.run(command, cwd=folder, env=dict(os.environ, **environment), text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if log:
        (folder / log).write_text(done.stdout, encoding="utf-8")
    if done.returncode:
        raise Missing(f"{' '.join(command)[:200]}: exit code {done.returncode}\n{done.stdout[-1000:]}")
    return done.stdout


@dataclasses.dataclass
class Program:
    name: str
    version: str
    recipe: Recipe
    folder: pathlib.Path  # of its training run
    plain: pathlib.Path
    counted: pathlib.Path

    def bare(self):
        """The plain program without debug information, at which valgrind 3.19 gives up."""
        out = self.plain.with_name("bare")
        run(["llvm-objcopy-22", "--strip-debug", self.plain, out], self.folder)
        return out

    def command(self, *program, script="train.sh"):
        return ["sh", script, *program]

    def built_with(self, flags):
        """A third program, with more flags of the compiler."""
        return build_kind(self.recipe, self.name, self.folder.parent, "other", flags + "\n")

    def count(self, pgokit, name):
        """The counts of one training run, as NAME.probes.prof and NAME.lines.prof."""
        dumps = self.folder / "dumps"
        shutil.rmtree(dumps, ignore_errors=True)
        dumps.mkdir()
        run(self.command(self.counted), self.folder, log="train.log", PGOKIT_PROFILE_FILE=str(dumps / "%p.mipraw"))
        run([pgokit, "map", self.counted, "-o", "counted.map"], self.folder)
        run([pgokit, "merge", "counted.map", *sorted(dumps.iterdir()), "-o", f"{name}.mip"], self.folder)
        for kind in KINDS:
            self.generate(pgokit, f"{name}.mip", self.counted, name, kind)

    def generate(self, pgokit, source, binary, name, kind, options=()):
        """NAME.KIND.prof; what `pgokit generate` says about it."""
        return json.loads(run([pgokit, "generate", source, "-b", binary, "-o", f"{name}.{kind}.prof", "--json", *KINDS[kind], *options],
                              self.folder))

    def compare(self, pgokit, kind, name):
        """NAME.KIND.prof with the counts of "truth"."""
        return json.loads(run([pgokit, "compare", f"truth.{kind}.prof", f"{name}.{kind}.prof", "--json"], self.folder))

    def overlap(self, pgokit, name):
        """Of the blocks' shares in all executions with those of "truth"."""
        return profile_shares.overlap(*(profile_shares.shares(run(
            [pgokit, "llvm-profdata", "merge", "--sample", "--text", f"{one}.probes.prof", "-o", "-"], self.folder))
            for one in ("truth", name)))


def up_to_date(stamp, *made_of):
    """Whether the stamp tells of just these; if not, it is gone, and the function that writes it is returned."""
    digest = hashlib.sha256(b"\0".join(one if isinstance(one, bytes) else one.encode() for one in made_of)).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return None
    stamp.unlink(missing_ok=True)
    return lambda: stamp.write_text(digest, encoding="utf-8")


def build(recipe, package, folder, kind, config, flags=FLAGS):
    """folder/kind/program, from sources of its own; again if anything that it is made of has changed."""
    out = folder / kind / "program"
    options = config.read_text(encoding="utf-8")
    plugins = [pathlib.Path(word.partition("=")[2]).read_bytes() for word in options.split()
               if word.startswith(("-fpass-plugin=", "-Zllvm-plugins="))]
    if finish := up_to_date(folder / f"{kind}.stamp", recipe.build, flags, options, *plugins):
        unpack(recipe, package, folder, folder / kind)
        rust = " ".join(word for line in options.splitlines() if not line.startswith("#") for word in line.split())
        run(["sh", "-ec", recipe.build], folder / kind, log="build.log", FLAGS=flags, CC=f"clang-22 --config={config}",
            CXX=f"clang++-22 --config={config}", RUSTFLAGS=rust)
        finish()
    return out


def installed(recipe):
    folders = sorted(pathlib.Path("/").glob(recipe.installed.lstrip("/")))
    if len(folders) != 1:
        raise Missing(f"not one folder {recipe.installed}, but {len(folders)} (Debian's librust-pulldown-cmark-dev)")
    return folders[0]


def version(recipe, package, folder):
    return installed(recipe).name.rpartition("-")[2] if recipe.installed else source_package.version(package, folder)


def unpack(recipe, package, folder, into):
    if not recipe.installed:
        return source_package.unpack(package, folder, into)
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(installed(recipe), into)


def prepare(recipe, folder):
    """The folder in which the training run takes place, with its inputs."""
    train = written(folder / "train", recipe.write_inputs)
    for name, script in (("train.sh", recipe.train), ("short.sh", recipe.short or recipe.train)):
        (train / name).write_text(f"set -e\n{script}\n", encoding="utf-8")
    return train


def prepare_measuring(recipe, folder):
    """Its counterpart: other inputs and measure.sh."""
    measure = written(folder / "measure", recipe.write_others)
    (measure / "measure.sh").write_text(f"set -e\n{recipe.measure}\n", encoding="utf-8")
    return measure


def written(folder, write_inputs):
    """The folder, with inputs that are up to date."""
    scripts = [file.read_bytes() for file in sorted(training_inputs.SCRIPTS.iterdir())]
    stamp = folder.with_name(folder.name + ".stamp")
    if finish := up_to_date(stamp, pathlib.Path(training_inputs.__file__).read_bytes(), *scripts):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_inputs(folder)
        finish()
    return folder


def build_kind(recipe, name, folder, kind, options, flags=FLAGS):
    config = folder / f"{kind}.cfg"
    config.write_text(options, encoding="utf-8")
    return build(recipe, name, folder, kind, config, flags)


def built(name, work, pgokit):
    """Raises Missing."""
    recipe, folder = RECIPES[name], work / name
    if missing := [tool for tool in (*recipe.needs, "clang-22") if not shutil.which(tool)]:
        raise Missing(f"no {', '.join(missing)}")
    number = version(recipe, name, folder)
    counting = run([pgokit, "flags", "blocks", "--all-blocks", "--style", "clang-config"], folder)
    plain, counted = (build_kind(recipe, name, folder, kind, options) for kind, options in (("plain", ""), ("counted", counting)))
    return Program(name, number, recipe, prepare(recipe, folder), plain, counted)
