"""Two independent counts of how often each instruction of a program ran, and each branch of it was taken: callgrind's, and those
that `pgokit record --exact` writes, read here by docs/formats/perf-data.md alone.

    code = Code("app")                                       # its symbols may stay, its debug information is not needed
    one = code.of_callgrind(folder.glob("*.callgrind"))      # of several processes together
    other = code.of_recording("app.perf")
    judged = code.compare(one, other)                        # judged.branches, judged.different, judged.said()

callgrind has to have run with OPTIONS. What it tells, by its manual and by trying:
- A line of costs has the address, and how often the instruction there was executed. The line after `calls=` is no such line: its
  cost is that of the whole call, and its address the caller's. That after `jump=` or `jcnd=` has only the address of the jump.
- `jcnd=TAKEN/REACHED TARGET` may stand there several times for one instruction, also beside `jump=`: TAKEN adds up. Where a
  branch was never taken there is none.
- Jumps into another function are `calls=`. Returns are not told: how often the return was executed is.
- An instruction with a rep prefix is executed once for each of its steps, and once more; it is not judged.
- Addresses are those of the linked file, except in what has no function (the PLT), where they are those of the process.
"""
import bisect
import collections
import dataclasses
import pathlib
import re
import struct
import subprocess

OPTIONS = ["--dump-instr=yes", "--collect-jumps=yes", "--skip-plt=no", "--compress-pos=no", "--compress-strings=no"]
BRANCH_COUNTS = 240  # the feature of perf.data


@dataclasses.dataclass
class Counts:
    executed: collections.Counter  # by address
    taken: collections.Counter     # by (from, to); to is None outside of the program


@dataclasses.dataclass
class Judged:
    instructions: int  # that were executed, by either
    branches: int      # that were taken, by either: each (from, to) once
    times: int         # how often they were taken, in all
    wrong_instructions: list  # [(address, callgrind's count, the recording's)]
    wrong_branches: list      # [((from, to), callgrind's, the recording's)]

    @property
    def different(self):
        return len(self.wrong_instructions) + len(self.wrong_branches)

    def said(self):
        text = f"{self.instructions:,} instructions and {self.branches:,} branches, taken {self.times:,} times, "
        if not self.different:
            return text + "are equal"
        shown = [f"{at:#x}: {a:,} by callgrind, {b:,} recorded" for at, a, b in self.wrong_instructions[:3]]
        shown += [f"{source:#x} -> {target and hex(target)}: {a:,} by callgrind, {b:,} recorded"
                  for (source, target), a, b in self.wrong_branches[:3]]
        return (text + f"but {len(self.wrong_instructions):,} and {len(self.wrong_branches):,} of them are not:\n    " +
                "\n    ".join(shown))


class Numbers:
    """ULEB128."""
    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def bytes(self):
        size = self.next()
        self.at += size
        return self.data[self.at - size:self.at]

    def place(self, before):
        """(file, offset), of which `before` is a list of the offset before it in the column."""
        file, distance = self.next(), self.next()
        before[0] = (before[0] + (distance // 2 if distance % 2 == 0 else -(distance + 1) // 2)) % 2**64
        return file - 1, before[0]


def feature(data, number):
    """The contents of a feature of perf.data."""
    records, size = struct.unpack_from("<QQ", data, 40)
    bits = int.from_bytes(data[72:104], "little")
    before = sum(bits >> bit & 1 for bit in range(number))
    at, length = struct.unpack_from("<QQ", data, records + size + 16 * before)
    if not bits >> number & 1:
        raise ValueError("the recording has no branch counts")
    return data[at:at + length]


class Code:
    def __init__(self, program):
        self.program = pathlib.Path(program).resolve()
        segments = subprocess.run(["readelf", "-lW", self.program], capture_output=True, text=True, check=True).stdout
        self.segments = [tuple(int(x, 16) for x in found) for found in
                         re.findall(r"LOAD\s+(\w+) (\w+) \w+ (\w+) \w+ R E", segments)]
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", self.program], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^\s*([0-9a-f]+):\t(.+)$", text, re.M)
        self.text = {int(address, 16): instruction for address, instruction in found}
        self.addresses = sorted(self.text)
        self.known = set(self.addresses)
        self.rep = {address for address, instruction in self.text.items()
                    if instruction.startswith("rep") and "ret" not in instruction}

    def address(self, offset):
        for file_offset, address, size in self.segments:
            if 0 <= offset - file_offset < size:
                return offset - file_offset + address
        return None

    def of_recording(self, path):
        """How often what is between the branches ran follows: what comes to an instruction goes on, or is taken away."""
        numbers = Numbers(feature(pathlib.Path(path).read_bytes(), BRANCH_COUNTS))
        version, scale, windows = numbers.next(), numbers.next(), numbers.next()
        if (version, scale, windows) != (2, 1, 0):
            raise ValueError(f"version {version}, scale {scale}, {windows} windows: no whole run")
        numbers.next()  # the uncertainty of windows
        files = [(numbers.bytes().decode(), numbers.bytes()) for _ in range(numbers.next())]
        own = {number for number, (file, _) in enumerate(files) if file == str(self.program)}
        if not own:
            raise ValueError(f"{self.program} is not among {[file for file, _ in files]}")

        def place(before):
            file, offset = numbers.place(before)
            return self.address(offset) if file in own else None

        comes, goes, taken = collections.Counter(), collections.Counter(), collections.Counter()
        sources, targets = [0], [0]
        for _ in range(numbers.next()):
            source, target, count = place(sources), place(targets), numbers.next()
            goes[source] += count
            comes[target] += count
            if source is not None:
                taken[source, target] += count
        for change in (1, -1):  # where stretches begin, and where they end
            before = [0]
            for _ in range(numbers.next()):
                at = place(before)
                comes[at] += change * numbers.next()
        executed, flow = collections.Counter(), 0
        for address in self.addresses:
            flow += comes[address]
            if flow:
                executed[address] = flow
            flow -= goes[address]
        return Counts(executed, taken)

    def of_callgrind(self, paths):
        executed, taken, calls_out = collections.Counter(), collections.Counter(), []
        elsewhere = collections.Counter()  # costs in what callgrind knows no object of
        for path in paths:
            with open(path, encoding="utf-8", errors="replace") as lines:
                self.read_callgrind(lines, executed, taken, calls_out, elsewhere)
        base = self.load_address(calls_out)
        for address, count in elsewhere.items():
            if address - base in self.known:
                executed[address - base] += count
        for source, target, count in calls_out:
            source, target = (at if at is None or at in self.known else at - base for at in (source, target))
            if source in self.known:
                taken[source, target if target in self.known else None] += count
        return Counts(executed, taken)

    def read_callgrind(self, lines, executed, taken, calls_out, elsewhere):
        here = there = ""
        for line in lines:
            name, equal, value = line.rstrip().partition("=")
            if not equal:
                words = name.split()
                if len(words) == 3 and words[0].startswith("0x"):
                    if here == "own":
                        executed[int(words[0], 16)] += int(words[2])
                    elif here == "unknown":
                        elsewhere[int(words[0], 16)] += int(words[2])
            elif name in ("ob", "cob"):
                there = {str(self.program): "own", "???": "unknown"}.get(value, "")
                if name == "ob":
                    here = there
            elif name == "fn":
                there = here
            elif name in ("calls", "jump", "jcnd"):
                count, target = value.split()[:2]
                source = int(next(lines).split()[0], 16)
                count, target = int(count.split("/")[0]), int(target, 16)
                if here == "own" and there in ("own", ""):
                    taken[source, target if there == "own" else None] += count
                elif here:
                    calls_out.append((source, target if there else None, count))
                there = here
        return executed

    def load_address(self, calls_out):
        """Of the program in the process: direct calls to the PLT tell it."""
        for source, target, _ in calls_out:
            direct = re.match(r"(?:call|jmp)\s+([0-9a-f]+) ", self.text.get(source, ""))
            if direct and target is not None and target not in self.known:
                return target - int(direct[1], 16)
        return 0

    def compare(self, callgrind, recorded):
        """Of branches out of the program only the source is judged; returns, which callgrind does not tell, are by how often
        they were executed; steps of rep instructions are not branches."""
        def branches(counts):
            return {(source, target): count for (source, target), count in counts.taken.items() if count and target is not None
                    and source not in self.rep and not self.is_return(source) and target != self.after(source)}

        one, other = branches(callgrind), branches(recorded)
        both = {key for key in (*one, *other)}
        wrong = [(key, one.get(key, 0), other.get(key, 0)) for key in sorted(both) if one.get(key, 0) != other.get(key, 0)]
        executed = {at for counts in (callgrind, recorded) for at, count in counts.executed.items() if count} - self.rep
        wrong_at = [(at, callgrind.executed[at], recorded.executed[at]) for at in sorted(executed)
                    if callgrind.executed[at] != recorded.executed[at]]
        returns = [at for at in executed if self.is_return(at)]
        return Judged(len(executed), len(both) + len(returns), sum(other.values()) + sum(recorded.executed[at] for at in returns),
                      wrong_at, wrong)

    def is_return(self, address):
        return re.match(r"(?:repz |bnd |notrack )*ret", self.text.get(address, "")) is not None

    def after(self, address):
        """The next instruction, which a branch that is not taken goes on with."""
        at = bisect.bisect_right(self.addresses, address)
        return self.addresses[at] if at < len(self.addresses) and self.text[address].startswith("j") else None
