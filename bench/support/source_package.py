"""The sources of Debian packages, as they were released (without Debian's patches).

    number = version("zstd", WORK / "zstd")       # downloads it the first time; raises Missing, which says why
    unpack("zstd", WORK / "zstd", WORK / "zstd/plain")

They come from where the machine's own packages do: from the sources of Debian in /etc/apt. apt has lists and a configuration of its
own in a folder of build/: nothing of the machine is changed.
"""
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STATE = ROOT / "build/bench/apt"


class Missing(Exception):
    pass


def release():
    facts = {}
    for line in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        facts[name] = value.strip('"')
    if facts.get("ID") != "debian" or "VERSION_CODENAME" not in facts or not shutil.which("apt-get"):
        raise Missing("this is not a release of Debian")
    return facts["VERSION_CODENAME"]


def is_enabled(fields):
    return "deb" in fields.get("types", "").split() and fields.get("enabled", "yes").strip().lower() not in ("no", "false", "without", "off", "disable", "0")


def stanzas(text):
    """Of a .sources file (deb822): a list of (name, value) each; a value may have several lines."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for block in re.split(r"\n[ \t]*\n", lines):
        fields = [field.partition(":")[::2] for field in re.split(r"\n(?![ \t])", block.strip("\n")) if ":" in field]
        if fields:
            yield [(name.strip(), value.strip(" \t")) for name, value in fields]


def sources_of(stanza, suite):
    """The stanza of the release's source packages in the place of one of its packages; empty: it has none of the release."""
    fields = {name.lower(): value for name, value in stanza}
    if not is_enabled(fields) or suite not in fields.get("suites", "").split() or "main" not in fields.get("components", "").split():
        return ""
    changed = {"types": "deb-src", "suites": suite, "components": "main"}
    kept = [(name, changed.get(name.lower(), value)) for name, value in stanza if name.lower() not in ("enabled", "architectures")]
    return "".join(f"{name}: {value}\n" for name, value in kept)


def source_lines(text, suite):
    """The same of a sources.list: deb [OPTIONS] URI SUITE COMPONENT..."""
    for line in text.splitlines():
        entry = re.fullmatch(r"\s*deb\s+(\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+([^#]*)(#.*)?", line)
        if entry and entry[3] == suite and "main" in entry[4].split():
            options = [word for word in (entry[1] or "").strip("[] \t").split() if not word.startswith("arch")]
            yield " ".join(["deb-src", *([f"[{' '.join(options)}]"] if options else []), entry[2], suite, "main"]) + "\n"


def sources(suite, etc=pathlib.Path("/etc/apt")):
    """The lines and the stanzas, each text, that apt is to know."""
    read = lambda files: [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    lines = [line for text in read([etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]) for line in source_lines(text, suite)]
    found = [sources_of(one, suite) for text in read(sorted(etc.glob("sources.list.d/*.sources"))) for one in stanzas(text)]
    if not lines and not any(found):
        raise Missing(f"apt has no source of {suite} main in {etc}")
    return "".join(dict.fromkeys(lines)), "\n".join(dict.fromkeys(one for one in found if one))


def apt_get(folder, *words):
    options = {"Dir::Etc::sourcelist": STATE / "sources.list", "Dir::Etc::sourceparts": STATE / "sources.d", "Dir::State::lists": STATE / "lists",
               "Dir::Cache": STATE / "cache", "Acquire::Retries": 1, "APT::Update::Error-Mode": "any"}
    given = [f"-o{name}={value}" for name, value in options.items()]
    done = subprocess.run(["apt-get", "-qq", *given, *words], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if line.startswith("E: ")]
        raise Missing(f"apt-get {words[0]}: {(said or ['failed'])[0].removeprefix('E: ')}")


def update():
    """Once: a new point release needs a new build folder."""
    if (STATE / "updated").exists():
        return
    for name in ("sources.d", "lists/partial", "cache/archives/partial"):
        (STATE / name).mkdir(parents=True, exist_ok=True)
    lines, found = sources(release())
    (STATE / "sources.list").write_text(lines, encoding="utf-8")
    (STATE / "sources.d/debian.sources").write_text(found, encoding="utf-8")
    apt_get(STATE, "update")
    (STATE / "updated").touch()


def archive(package, folder):
    """The released archive; apt-get verifies it."""
    def here():
        return [file for file in folder.glob("*.orig.tar.*") if file.suffix != ".asc"]
    if not here():
        folder.mkdir(parents=True, exist_ok=True)
        update()
        apt_get(folder, "source", "--download-only", package)
    if len(here()) != 1:
        raise Missing(f"not one archive of {package}, but {len(here())}")
    return here()[0]


def version(package, folder):
    return archive(package, folder).name.split(".orig.")[0].rpartition("_")[2].partition("+")[0]


def unpack(package, folder, into):
    """Into a new folder; what was there is gone."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    subprocess.run(["tar", "-xf", archive(package, folder), "-C", into, "--strip-components=1"], check=True)
