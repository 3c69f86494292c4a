"""completion.py PGOKIT: the completion for bash proposes all commands and options, values of options
that take one of a few, and files elsewhere; those for zsh and fish are understood by these shells,
where they are installed."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import commands

PGOKIT = sys.argv[1]
failures = []

# Completes the words behind the script, as bash would at the end of the last one.
DRIVER = """
source "$1"; shift
compopt() { echo "BY:$2"; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_pgokit
printf '%s\\n' "${COMPREPLY[@]}"
"""


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"WRONG: {what}")


class Bash:
    def __init__(self, folder):
        self.script = folder / "pgokit.bash"
        self.script.write_text(commands.output(PGOKIT, "completion", "bash"))

    def complete(self, *words):
        return set(commands.output("bash", "-c", DRIVER, "driver", self.script, "pgokit", *words).split())


def check_options(bash, known):
    for words in known:
        options = commands.options_of(PGOKIT, words)
        proposed = bash.complete(*words, "-")
        missing = {name for name in options if name not in proposed and name not in ("-h", "-help")}
        expect(not missing, f"{' '.join(words)}: {missing} are proposed, not only {proposed}")


def check_values(bash, known):
    top = {words[0] for words in known if len(words) == 1}
    for words, proposed in (
            (("",), top), (("--",), {"--help", "--version"}), (("sho",), {"show"}), (("probes", ""), {"dump", "stats", "disassemble", "compare", "lower"}),
            (("generate", "--format", "te"), {"text"}), (("generate", "--format", "=", "te"), {"text"}),
            (("generate", "x.perf", "-b", "prog", "--format", "="), {"extbinary", "binary", "text", "gcov", "raw", "fdata", "yaml", "preaggregated", "clusters"}),
            (("generate", "--for", "clang-2"), {"clang-20", "clang-21", "clang-22"}),
            (("flags", "block"), {"blocks", "block-coverage"}), (("flags", "--style", "m"), {"make", "meson"}),
            (("flags", "us"), {"use=", "BY:nospace"}), (("flags", "use", "="), {"BY:default"}), (("flags", "use", "=", "app"), {"BY:default"}),
            (("flags", "profile", "--for", "gcc-5"), {"gcc-5"}),
            (("report", "--syntax", ""), {"att", "intel"}), (("completion", ""), {"bash", "zsh", "fish"}),
            (("help", "doc"), {"doctor"}), (("llvm-profdata", "merge", "--failure-mode", ""), {"any", "all", "warn"}),
            (("generate", "rec"), {"BY:default"}), (("generate", "-b", "pr"), {"BY:default"}),
            (("optimize", "--work", ""), {"BY:dirnames"}), (("show", "--top", ""), set()),
            (("show", "--jso"), {"--json"}), (("no-command", "x"), set())):
        found = bash.complete(*words)
        found.discard("")
        expect(found == proposed, f"{words}: {sorted(found)}, not {sorted(proposed)}")
    expect("bash" in bash.complete("record", "--", "bas"), "commands are proposed behind --")
    expect("bash" in bash.complete("record", "-o", "x", "--", "bas"), "... also after options")


def check_syntax(folder, shell):
    script = folder / f"pgokit.{shell}"
    script.write_text(commands.output(PGOKIT, "completion", shell))
    if not shutil.which(shell):
        print(f"not tried: {shell} is not installed")
        return
    done = subprocess.run([shell, "-n", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0 and not done.stdout, f"{shell} understands its script: {done.stdout}")


# What fish proposes for a command line.
def check_fish(folder):
    if not shutil.which("fish"):
        return
    for line, proposed in (("pgokit sho", {"show"}), ("pgokit probes du", {"dump"}), ("pgokit show --jso", {"--json"}),
                           ("pgokit generate --format te", {"text"}), ("pgokit llvm-profdata show --topn", {"--topn"})):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {folder / 'pgokit.fish'}; complete -C '{line}'"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        found = {row.split("\t")[0] for row in done.stdout.splitlines()}
        expect(proposed <= found and not done.stderr, f"fish, {line}: {sorted(found)} {done.stderr[:300]}")


def check_zsh(folder):
    """zsh loads its script as a completion."""
    if not shutil.which("zsh"):
        return
    (folder / "_pgokit").write_text((folder / "pgokit.zsh").read_text())
    text = commands.output("zsh", "-f", "-c", f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u; "
                           "print $_comps[pgokit]; autoload +X _pgokit && print loaded")
    expect(text.split() == ["_pgokit", "loaded"], f"zsh: {text}")


def main():
    known = commands.all_commands(PGOKIT)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bash = Bash(folder)
        check_options(bash, known)
        check_values(bash, known)
        for shell in ("bash", "zsh", "fish"):
            check_syntax(folder, shell)
        check_fish(folder)
        check_zsh(folder)
    print(f"{len(known)} commands, {len(failures)} wrong")
    return int(bool(failures))


sys.exit(main())
