"""What --help says of all commands, for tests of what else is made of the same tables."""
import re
import subprocess


def output(*words):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True).stdout


def commands_in(text):
    """Names in a list of commands: each in a line of its own, or before its summary."""
    return re.findall(r"^  ([a-z][\w-]*)(?:$| +\S)", text, re.M)


def all_commands(pgokit):
    """Words of each command: ("show",), ("probes", "dump")."""
    found = []
    text = output(pgokit, "--help").split("the road:")[0]
    for name in commands_in(text):
        own = output(pgokit, name, "--help")
        inner = commands_in(own) if re.search(r"^usage: (pgokit \S+ (SUB)?COMMAND|cargo pgokit VERB)", own, re.M) else []
        found += [(name,), *((name, one) for one in inner)]
    return found


def options_of(pgokit, words):
    """All names of options that --help lists, with whether they take a value."""
    found = {}
    for line in output(pgokit, *words, "--help").splitlines():
        listed = re.match(r"  +(-[\w-]*(?:,-[\w-]+)*)( [A-Z]\S*)?(?: |$)", line)
        if listed:
            for name in listed[1].split(","):
                found[name] = bool(listed[2])
    return found
