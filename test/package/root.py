"""Folders that are the root of a few commands, for tests of packages."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from links import dead_links  # noqa: E402


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def need_root(*tools):
    if os.geteuid() != 0:
        skip("it takes root to change the root folder")
    for tool in ("unshare", "chroot", *tools):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def check_documents(folder):
    """Of share/doc/pgokit: no link leads nowhere, and scripts can be run."""
    dead = list(dead_links(folder))
    expect(not dead, "no link is dead:\n" + "\n".join(dead))
    for name in ("examples/ci/profile.sh", "examples/fleet/fleet.sh"):
        expect(os.access(folder / name, os.X_OK), f"{name} is a program")
    expect((folder / "examples/build/cmake/main.c").is_file(), "links among the examples lead somewhere")


def run(*words, **options):
    """What a command prints; its failure is the test's."""
    words = [str(word) for word in words]
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def run_in(folder, *words):
    """Runs a command whose root is the folder, with its own /proc."""
    mount = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/tmp"}
    return run("unshare", "--mount", "sh", "-c", mount, folder, *words, env=env)
