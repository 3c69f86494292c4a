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
    for script in (*SCRIPTS.glob("*.lua"), *SCRIPTS.glob("*.pl")):
        shutil.copy(script, folder)


def write_markdown(folder, seed=4):
    """mark.0 to mark.2, 1.5 MB each: paragraphs with emphasis, code and links, lists, quotations, tables, code and footnotes."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("etaoinshrdlucmfwypvbgk", k=chance.randint(1, 10))) for _ in range(3000)]
    inline = (lambda w: f"*{w}*", lambda w: f"**{w} {w}**", lambda w: f"`{w}()`", lambda w: f"[{w}](https://{w}.example/{w} '{w}')",
              lambda w: f"~~{w}~~", lambda w: f"<b>{w}</b>", lambda w: f"&amp;{w}\\_", lambda w: f"[^{w[:2]}]", lambda w: f"'{w}' -- \"{w}\"...",
              lambda w: f"_{w}", lambda w: f"[{w}][]", lambda w: f"![{w}]({w}.png)")

    def line(count):
        picked = chance.choices(words, k=count)
        return " ".join(chance.choice(inline)(word) if chance.random() < 0.12 else word for word in picked)

    def block(kind):
        if kind < 0.5:
            return "\n".join(line(chance.randint(6, 14)) for _ in range(chance.randint(1, 7)))
        if kind < 0.6:
            return f"{'#' * chance.randint(1, 5)} {line(4)}"
        if kind < 0.75:
            return "\n".join(f"{'  ' * chance.randint(0, 2)}{chance.choice(('-', '*', '1.', '- [x]'))} {line(6)}" for _ in range(chance.randint(2, 9)))
        if kind < 0.8:
            return "\n".join(f"> {line(9)}" for _ in range(4))
        if kind < 0.9:
            return "```c\n" + "\n".join(f"    {line(5)};" for _ in range(8)) + "\n```"
        if kind < 0.96:
            return "\n".join(["| a | b | c |", "|---|:-:|--:|", *[f"| {line(2)} | {line(3)} | {line(1)} |" for _ in range(6)]])
        return "\n".join(f"[{chance.choice(words)}]: <https://{chance.choice(words)}.example/>\n[^{chance.choice(words)[:2]}]: {line(8)}" for _ in range(3))

    for part in range(3):
        out, size = [], 0
        while size < 1_500_000:
            out.append(block(chance.random()))
            size += len(out[-1]) + 2
        (folder / f"mark.{part}").write_text("\n\n".join(out), encoding="utf-8")


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
