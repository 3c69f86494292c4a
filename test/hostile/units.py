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
TIMES_OF_RANGES = 20  # a range of three bytes takes 48 while units are put in order
SIZE = 16 << 20
COMPRESSED = 0x800


def unit(body, abbreviations=0):
    """DWARF 4: length, version, place of its table of abbreviations, size of addresses."""
    return struct.pack("<IHIB", 7 + len(body), 4, abbreviations, 8) + body


def repeated(body, size):
    return unit(body) * (size // len(unit(body)))


def numbered(size, body_size, make):
    return b"".join(make(i) for i in range(size // (len(unit(b"")) + body_size)))


# What is said of each: the sections of about so many bytes.
def sections(info, abbreviations, **others):
    return {".debug_info": info, ".debug_abbrev": abbreviations, **{"." + name: contents for name, contents in others.items()}}


PLAIN = b"\x01\x11\x00\x00\x00"


def zeros(size):
    return sections(bytes(size), PLAIN + b"\0")


def smallest(size):
    return sections(repeated(b"\x01", size), PLAIN + b"\0")


def with_unknown_entry(size):
    return sections(repeated(b"\x07", size), PLAIN + b"\0")


def between_holes(size):
    return sections((unit(b"\x01") + bytes(4)) * (size // 16), PLAIN + b"\0")


def with_tables_of_their_own(size):
    return sections(numbered(size, 1, lambda i: unit(b"\x01", i)), PLAIN * 2 + bytes(size // 12))


def with_lines_of_their_own(size):
    with_lines = b"\x01\x11\x00\x10\x06\x00\x00\x00"
    units = numbered(size, 5, lambda i: unit(b"\x01" + struct.pack("<I", i)))
    return sections(units, with_lines, debug_line=bytes(size // 16))


def split_off(size):
    skeleton = b"\x01\x11\x00\xb1\x42\x0b\xb0\x42\x08\x00\x00\x00"
    return sections(numbered(size, 9, lambda i: unit(b"\x01\x01%06d\0" % (i % 1000000))), skeleton)


OF_RANGES = b"\x01\x11\x00\x55\x17\x00\x00\x00"


def sharing_ranges(size):
    """Every unit has the same list."""
    pairs = b"".join(struct.pack("<QQ", 0x1000 + 16 * i, 0x1008 + 16 * i) for i in range(20000)) + bytes(16)
    return sections(repeated(b"\x01" + bytes(4), size), OF_RANGES, debug_ranges=pairs)


def sharing_ends_of_ranges(size):
    """Each has the rest of a list that begins with the one before."""
    count = size // 32
    units = numbered(size // 2, 5, lambda i: unit(b"\x01" + struct.pack("<I", 16 * (i % count))))
    pairs = b"".join(struct.pack("<QQ", 0x1000 + 16 * i, 0x1008 + 16 * i) for i in range(count)) + bytes(16)
    return sections(units, OF_RANGES, debug_ranges=pairs)


def with_dense_ranges(size):
    """DWARF 5: a list of pairs of three bytes each."""
    unit_of_5 = struct.pack("<HBBI", 5, 1, 8, 0) + b"\x01" + struct.pack("<I", 12)
    pairs = b"".join(b"\x04" + bytes([i % 100, i % 100 + 1]) for i in range(size // 3)) + b"\0"
    header = struct.pack("<IHBBI", len(pairs) + 8, 5, 8, 0, 0)
    return sections(struct.pack("<I", len(unit_of_5)) + unit_of_5, OF_RANGES, debug_rnglists=header + pairs)


def with_dense_sets(size):
    """.debug_aranges: one set of as many ranges as fit, and sets of one range each."""
    pairs = b"".join(struct.pack("<QQ", 0x1000 + 16 * i, 8) for i in range(size // 32)) + bytes(16)
    one = struct.pack("<HIBB", 2, 0, 8, 0) + bytes(4) + pairs
    few = struct.pack("<IHIBB", 44, 2, 0, 8, 0) + bytes(4) + struct.pack("<QQ", 0x1000, 8) + bytes(16)
    return sections(unit(b"\x01"), PLAIN + b"\0", debug_aranges=struct.pack("<I", len(one)) + one + few * (size // 2 // len(few)))


KINDS = (zeros, smallest, with_unknown_entry, between_holes, with_tables_of_their_own, with_lines_of_their_own, split_off, sharing_ranges,
         sharing_ends_of_ranges, with_dense_ranges, with_dense_sets)


def packed(contents):
    return struct.pack("<IIQQ", 1, 0, len(contents), 1) + zlib.compress(contents)


def elf(debug, flags=0):
    code = b"\x90" * 63 + b"\xc3"
    contents = [(".text", 1, 6, 0x1000, code), *((name, 1, flags if name == ".debug_info" else 0, 0, bytes_of) for name, bytes_of in debug.items())]
    names = b"\0" + b"".join(section[0].encode() + b"\0" for section in contents) + b".shstrtab\0"
    contents.append((".shstrtab", 3, 0, 0, names))
    place, headers = 0x1000, [bytes(64)]
    for name, kind, flag, address, bytes_of in contents:
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(f"\0{name}\0".encode()) + 1, kind, flag, address, place, len(bytes_of), 0, 0, 1, 0))
        place += len(bytes_of)
    start = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x1000, 64, place, 0, 64, 56, 1, 64, len(headers), len(headers) - 1)
    start += struct.pack("<IIQQQQQQ", 1, 5, 0x1000, 0x1000, 0x1000, len(code), len(code), 0x1000)
    return start.ljust(0x1000, b"\0") + b"".join(section[4] for section in contents) + b"".join(headers)


def peak(*words):
    """The largest resident memory of a command, in bytes."""
    with subprocess.Popen([PGOKIT, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, process.returncode


def build(kind, size, flags, path):
    """In a process of its own: what a process takes counts for those that it starts. Gives the bytes of the sections."""
    debug = kind(size)
    total = sum(map(len, debug.values()))
    if flags:
        debug[".debug_info"] = packed(debug[".debug_info"])
    path.write_bytes(elf(debug, flags))
    return total


def check(kind, folder, size, flags, commands):
    program = folder / f"{kind.__name__}{'-packed' if flags else ''}"
    times = TIMES_OF_RANGES if kind is with_dense_ranges else TIMES
    with multiprocessing.Pool(1) as pool:
        most = times * pool.apply(build, (kind, size, flags, program)) + BESIDES
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
