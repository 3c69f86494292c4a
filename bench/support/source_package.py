"""The sources of Debian packages, as they were released (without Debian's patches).

    number = version("zstd", WORK / "zstd")       # downloads it the first time; raises Missing, which says why
    unpack("zstd", WORK / "zstd", WORK / "zstd/plain")

apt has lists and a configuration of its own in a folder of build/: nothing of the machine is changed.
"""
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STATE = ROOT / "build/bench/apt"
MIRROR = "http://deb.debian.org/debian"


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


def apt_get(folder, *words):
    options = {"Dir::Etc::sourcelist": STATE / "sources.list", "Dir::Etc::sourceparts": "-", "Dir::State::lists": STATE / "lists",
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
    for name in ("lists/partial", "cache/archives/partial"):
        (STATE / name).mkdir(parents=True, exist_ok=True)
    (STATE / "sources.list").write_text(f"deb-src {MIRROR} {release()} main\n", encoding="utf-8")
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
