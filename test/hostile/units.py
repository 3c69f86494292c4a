#!/usr/bin/env python3
"""units.py PGOKIT: programs whose debug information is made of as many units as fit take little more memory than their file."""
import multiprocessing
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

PGOKIT = os.path.abspath(sys.argv[1])
TIMES, BESIDES = 6, 50 << 20
SIZE = 16 << 20
COMPRESSED = 0x800


def unit(body, abbreviations=0):
    """DWARF 4: length, version, place of its table of abbreviations, size of addresses."""
    return struct.pack("<IHIB", 7 + len(body), 4, abbreviations, 8) + body


def repeated(body, size):
    return unit(body) * (size // len(unit(body)))


def numbered(size, body_size, make):
    return b"".join(make(i) for i in range(size // (len(unit(b"")) + body_size)))


# What is said of each: .debug_info, .debug_abbrev and .debug_line of about so many bytes.
PLAIN = b"\x01\x11\x00\x00\x00"


def zeros(size):
    return bytes(size), PLAIN + b"\0", b""


def smallest(size):
    return repeated(b"\x01", size), PLAIN + b"\0", b""


def with_unknown_entry(size):
    return repeated(b"\x07", size), PLAIN + b"\0", b""


def between_holes(size):
    return (unit(b"\x01") + bytes(4)) * (size // 16), PLAIN + b"\0", b""


def with_tables_of_their_own(size):
    return numbered(size, 1, lambda i: unit(b"\x01", i)), PLAIN * 2 + bytes(size // 12), b""


def with_lines_of_their_own(size):
    with_lines = b"\x01\x11\x00\x10\x06\x00\x00\x00"
    return numbered(size, 5, lambda i: unit(b"\x01" + struct.pack("<I", i))), with_lines, bytes(size // 16)


def split_off(size):
    skeleton = b"\x01\x11\x00\xb1\x42\x0b\xb0\x42\x08\x00\x00\x00"
    return numbered(size, 9, lambda i: unit(b"\x01\x01%06d\0" % (i % 1000000))), skeleton, b""


KINDS = (zeros, smallest, with_unknown_entry, between_holes, with_tables_of_their_own, with_lines_of_their_own, split_off)


def packed(contents):
    return struct.pack("<IIQQ", 1, 0, len(contents), 1) + zlib.compress(contents)


def elf(info, abbreviations, lines, flags=0):
    names = b"\0.text\0.debug_info\0.debug_abbrev\0.debug_line\0.shstrtab\0"
    code = b"\x90" * 63 + b"\xc3"
    sections = [(b".text", 1, 6, 0x1000, code), (b".debug_info", 1, flags, 0, info), (b".debug_abbrev", 1, 0, 0, abbreviations),
                (b".debug_line", 1, 0, 0, lines), (b".shstrtab", 3, 0, 0, names)]
    place, headers = 0x1000, [bytes(64)]
    for name, kind, flag, address, contents in sections:
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(b"\0" + name + b"\0") + 1, kind, flag, address, place, len(contents), 0, 0, 1, 0))
        place += len(contents)
    start = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x1000, 64, place, 0, 64, 56, 1, 64, len(headers), len(headers) - 1)
    start += struct.pack("<IIQQQQQQ", 1, 5, 0x1000, 0x1000, 0x1000, len(code), len(code), 0x1000)
    return start.ljust(0x1000, b"\0") + b"".join(section[4] for section in sections) + b"".join(headers)


def peak(*words):
    """The largest resident memory of a command, in bytes."""
    with subprocess.Popen([PGOKIT, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, process.returncode


def build(kind, size, flags, path):
    """In a process of its own: what a process takes counts for those that it starts. Gives the bytes of the sections."""
    sections = kind(size)
    info, abbreviations, lines = sections
    path.write_bytes(elf(packed(info) if flags else info, abbreviations, lines, flags))
    return sum(map(len, sections))


def check(kind, folder, size, flags, commands):
    program = folder / f"{kind.__name__}{'-packed' if flags else ''}"
    with multiprocessing.Pool(1) as pool:
        most = TIMES * pool.apply(build, (kind, size, flags, program)) + BESIDES
    passed = True
    for words in commands:
        taken, code = peak(*[program if word == "PROGRAM" else word for word in words])
        good = taken <= most and 0 <= code <= 3
        passed &= good
        print(f"{'ok' if good else 'FAILED'}: {words[0]} {program.name}: {taken >> 20} MB of {most >> 20}, exit code {code}", flush=True)
    program.unlink()
    return passed


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "raw").write_text("1\n1000-103f:5\n0\n")
        (folder / "profile").write_text("f:5:5\n 1: 5\n")
        commands = [("doctor", "PROGRAM"), ("show", "PROGRAM"), ("generate", folder / "raw", "-b", "PROGRAM", "-o", folder / "out"),
                    ("check", folder / "profile", "-b", "PROGRAM")]
        passed = [check(kind, folder, SIZE, 0, commands) for kind in KINDS]
        # As much as a section of a megabyte may hold.
        passed += [check(kind, folder, 100 << 20, COMPRESSED, commands[:1]) for kind in (zeros, smallest, with_lines_of_their_own)]
    return int(not all(passed))


if __name__ == "__main__":
    sys.exit(main())
