"""What the training runs of real_programs.py read. The same bytes each time."""
import pathlib
import random
import shutil

SCRIPTS = pathlib.Path(__file__).resolve().parent / "training"


def write_text(folder, seed=1):
    """30 MB that compress like a mixture of prose, records and tables: text.0 to text.9, and small.0 to small.3."""
    chance = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(chance.choices(letters, weights=range(26, 0, -1), k=chance.randint(1, 11))) for _ in range(20_000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    for part in range(10):
        picked = iter(chance.choices(words, weights, k=600_000))
        out, size = [], 0
        while size < 3_000_000:
            kind = chance.random()
            if kind < 0.6:
                line = " ".join(next(picked) for _ in range(12)).encode() + b".\n"
            elif kind < 0.9:
                line = b'{"id": %d, "name": "%s", "value": %.4f}\n' % (chance.randrange(10**7), next(picked).encode(), chance.random())
            else:
                first = chance.randrange(1000)
                line = b"".join((n * n % 65_521 + part).to_bytes(4, "little") for n in range(first, first + 20))
                line += chance.randbytes(20)
            out.append(line)
            size += len(line)
        data = b"".join(out)[:3_000_000]
        (folder / f"text.{part}").write_bytes(data)
        if part < 4:
            (folder / f"small.{part}").write_bytes(data[:700_000])


def write_scripts(folder):
    for script in SCRIPTS.glob("*.lua"):
        shutil.copy(script, folder)


def write_manifest(folder, seed=2):
    """build.ninja with 25,500 edges as large projects have them (libraries, programs, headers, a pool), and their empty sources."""
    chance = random.Random(seed)
    lines = ["ninja_required_version = 1.3", "flags = -O2 -Wall -I. -Iinclude", "pool link", "  depth = 4",
             "rule compile", "  command = true $flags -MF $out.d -c $in -o $out", "  description = CC $out", "  depfile = $out.d",
             "rule archive", "  command = true rcs $out $in", "rule link", "  command = true $in -o $out $libs", "  pool = link"]
    libraries = []
    for n in range(250):
        where = f"source/component{n % 40}/library{n}"
        objects = []
        for k in range(100):
            headers = " ".join(f"include/part{chance.randrange(30)}/header{chance.randrange(40)}.h" for _ in range(4))
            objects.append(f"out/{where}/file{k}.o")
            lines += [f"build {objects[-1]}: compile {where}/file{k}.cc | {headers}", f"  flags = $flags -DLIBRARY{n}=\"{where}\""]
        libraries.append(f"out/{where}/lib{n}.a")
        lines.append(f"build {libraries[-1]}: archive $\n    " + " $\n    ".join(objects))
        others = " ".join(chance.sample(libraries, min(len(libraries), 8)))
        lines.append(f"build out/bin/program{n}: link {objects[0]} | {others} || out/{where}/file1.o\n  libs = -lm -lpthread")
    lines.append("build everything: phony " + " ".join(f"out/bin/program{n}" for n in range(250)))
    (folder / "build.ninja").write_text("\n".join(lines) + "\ndefault everything\n", encoding="utf-8")
    for n in range(250):
        source = folder / f"source/component{n % 40}/library{n}"
        source.mkdir(parents=True, exist_ok=True)
        for k in range(100):
            (source / f"file{k}.cc").touch()
    for part in range(30):
        (folder / f"include/part{part}").mkdir(parents=True, exist_ok=True)
        for k in range(40):
            (folder / f"include/part{part}/header{k}.h").touch()


def other(write):
    """The same kind of input, but not the same."""
    return lambda folder: write(folder, seed=7)
