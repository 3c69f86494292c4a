"""Reads maps and raw dumps as docs/formats/mip.md says: the tests' own reader, independent of src/."""
import collections
import struct
import subprocess
import zlib

COVERAGE, BLOCK_COVERAGE, CALLS32, ORDER, CALLS64, BLOCKS64, EDGES = 1, 2, 4, 8, 16, 32, 64
TARGETS, TABLES, SIZES = 0x80, 0x400, 0x800
VALUES = TARGETS | TABLES | SIZES
ORDER_LOG, ORDER_CALLS = 256, 512
FROM_SUCCESSORS, FROM_PREDECESSORS, FROM_FLOW = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTION_MAGIC, FUNCTION_MAGIC, DUMP_MAGIC = 0x50494DFB, 0x464D50FB, 0x0A70696D6F67700D

Function = collections.namedtuple(
    "Function", "raw_start box address size signature kinds flags block_count counters name blocks successors sites "
                "order_id source checksum")
Site = collections.namedtuple("Site", "raw address kind line column function number", defaults=(0,))
Dump = collections.namedtuple(
    "Dump", "version machine flags total_size kinds raw_address raw_size bias pid parent sequence start_time edge_rate "
            "dropped build_id raw path edges marks crc_ok targets modules order_ids order_calls")
Module = collections.namedtuple("Module", "start end bias build_id name")


def section(program, name, objcopy="llvm-objcopy-22"):
    out = program + ".section"
    open(out, "wb").close()
    subprocess.run([objcopy, f"--dump-section={name}={out}", program, "/dev/null"], check=True, stderr=subprocess.DEVNULL)
    with open(out, "rb") as file:
        return file.read()


def read_map(data):
    """The functions of a map section; those that the linker dropped have address 0 and are left out."""
    functions, at, headers = [], 0, 0
    while at + 8 <= len(data):
        magic, size = struct.unpack_from("<II", data, at)
        if magic == SECTION_MAGIC:
            version, kind, _, _, _, offset = struct.unpack_from("<HHIIII", data, at + 4)
            assert (version >> 8, kind, offset) == (1, 2, 24)
            headers += 1
            at += offset
            continue
        if magic != FUNCTION_MAGIC:
            assert data[at] == 0, f"neither record nor padding at {at}"
            at += 1
            continue
        _, _, raw_start, box, address, fsize, signature, kinds, flags, blocks, counters, edges, name = struct.unpack_from(
            "<IIQQQIIIIIIII", data, at)
        place = at + 64
        listed, successors, addresses = [], [], []
        if flags & 8:
            listed = [struct.unpack_from("<III", data, place + 12 * i) for i in range(blocks)]
            place += 12 * blocks
            numbers = list(struct.unpack_from(f"<{edges}I", data, place))
            place += 4 * edges
            for _, _, count in listed:
                successors.append(numbers[:count])
                numbers = numbers[count:]
        if flags & 2:
            addresses = struct.unpack_from(f"<{blocks}Q", data, place)
            place += 8 * blocks
        text = data[place:place + name].decode()
        place += name
        order_id = None
        if kinds & ORDER_LOG:
            order_id = struct.unpack_from("<II", data, place)
            place += 8
        sites = []
        if kinds & VALUES:
            sites, place = read_sites(data, place, raw_start, text)
        source = text
        if flags & 16:
            length, = struct.unpack_from("<I", data, place)
            source = data[place + 4:place + 4 + length].decode()
            place += 4 + length
        if flags & 64:
            sites = [each._replace(number=struct.unpack_from("<I", data, place + 4 * i)[0]) for i, each in enumerate(sites)]
            place += 4 * len(sites)
        if flags & 32:
            assert address == 0
            place += 8
        if flags & 256:
            assert address == 0
            place += 16
        checksum = None
        if flags & 128:
            checksum, = struct.unpack_from("<Q", data, place)
            place += 8
        assert place == at + size, "a record's parts are not its size"
        at += size
        if address:
            listed = [(addresses[i] if flags & 2 else address + offset, counter)
                      for i, (offset, counter, _) in enumerate(listed)]
            functions.append(Function(raw_start, box, address, fsize, signature, kinds, flags, blocks, counters, text,
                                      listed, successors, sites, order_id, source, checksum))
    assert headers >= 1
    return functions


def read_checksums(data):
    """[(name in the source, checksum)] of a map section."""
    found, at = [], 0
    magic = struct.pack("<I", FUNCTION_MAGIC)
    while (at := data.find(magic, at)) >= 0:
        flags, = struct.unpack_from("<I", data, at + 44)
        size, = struct.unpack_from("<I", data, at + 60)
        if flags == 32:
            found.append((data[at + 64:at + 64 + size].decode(), struct.unpack_from("<Q", data, at + 64 + size)[0]))
        at += 4
    return found


def read_tables(data):
    """{address: name} of the tables of functions in a map section."""
    found, at = {}, 0
    magic = struct.pack("<I", FUNCTION_MAGIC)
    while (at := data.find(magic, at)) >= 0:
        flags, = struct.unpack_from("<I", data, at + 44)
        size, = struct.unpack_from("<I", data, at + 60)
        if flags & 256:
            address, length = struct.unpack_from("<QQ", data, at + 64 + size)
            assert length
            if address:
                found[address] = data[at + 64:at + 64 + size].decode()
        at += 4
    return found


def read_sites(data, at, raw_start, own_name):
    raw, count, text_size = struct.unpack_from("<QII", data, at)
    at += 16
    sites, text = [], data[at + 24 * count:at + 24 * count + text_size].decode()
    for i in range(count):
        address, kind, line, column, name = struct.unpack_from("<QIIII", data, at + 24 * i)
        sites.append(Site(raw - raw_start + 32 * i, address, kind, None if line == 0xFFFFFFFF else line, column,
                          text[:name] or own_name))
        text = text[name:]
    assert not text
    return sites, at + 24 * count + text_size


def code(dump, address):
    """Of a function, as linked, without the bit of the instruction set that 32-bit Arm has in it."""
    return (address & ~1 if dump.machine == 40 else address) - dump.bias


def values_at(site, dump):
    """[(value, module, count)] of a site, and how many were dropped."""
    value, hits, taken, _, module = struct.unpack_from("<QQQIH", dump.raw, site.raw)
    rows = [(value, module, hits - taken)] if hits > taken else []
    rows += [(value, module, count) for where, value, count, module in dump.targets if where == site.raw and count]
    merged = collections.Counter()
    for value, module, count in rows:
        merged[value, module] += count
    rows = [(value, module, count) for (value, module), count in merged.items()]
    return rows, hits - sum(count for *_, count in rows)


def read_dumps(path):
    with open(path, "rb") as file:
        data = file.read()
    dumps, at = [], 0
    while at < len(data):
        head = struct.unpack_from("<QHHIQIIIIQQQIIIIQQQ4Q32s", data, at)
        (magic, version, machine, flags, total, _, payloads, kinds, _, raw_address, raw_size, bias, pid, parent, sequence,
         id_size, start, _, rate, *dropped, build_id) = head
        assert magic == DUMP_MAGIC and at + total <= len(data)
        parts = {}
        for i in range(payloads):
            kind, entry, offset, size = struct.unpack_from("<IIQQ", data, at + 168 + 24 * i)
            assert offset + size <= total
            parts[kind] = data[at + offset:at + offset + size]
        crc = struct.unpack_from("<I", data, at + total - 4)[0]
        crc_ok = crc == 0 if flags & 1 else crc == zlib.crc32(data[at:at + total - 4])
        edges = [e for e in struct.iter_unpack("<QQQ", parts.get(3, b"")) if e[0]]
        marks = list(struct.iter_unpack("<QII", parts.get(7, b"")))
        targets = [t[:4] for t in struct.iter_unpack("<QQQII", parts.get(5, b"")) if t[0]]
        modules = [Module(start, end, bias, identity[:size].hex(), name.rstrip(b"\0").decode())
                   for start, end, bias, size, _, identity, name in struct.iter_unpack("<QQQII32s64s", parts.get(4, b""))]
        dumps.append(Dump(version, machine, flags, total, kinds, raw_address, raw_size, bias, pid, parent, sequence, start,
                          rate, dropped, build_id[:id_size].hex(), parts[1], parts.get(2, b"").decode(), edges, marks,
                          crc_ok, targets, modules, list(struct.iter_unpack("<II", parts.get(6, b""))),
                          list(struct.iter_unpack("<iI", parts.get(8, b"")))))
        at += total
    return dumps


def infer_coverage(function, values):
    """values: counters (True: ran). One value per block."""
    known = [values[c] if c < function.counters else False for _, c in function.blocks]
    predecessors = [[] for _ in known]
    for block, tos in enumerate(function.successors):
        for to in tos:
            predecessors[to].append(block)
    changed = True
    while changed:
        changed = False
        for block, (_, counter) in enumerate(function.blocks):
            near = {FROM_SUCCESSORS: function.successors[block], FROM_PREDECESSORS: predecessors[block]}.get(counter, ())
            if not known[block] and any(known[other] for other in near):
                known[block] = changed = True
    return known


def infer_counts(function, values):
    size = len(function.blocks)
    parent = list(range(2 * size))

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for block, tos in enumerate(function.successors):
        for to in tos or [0]:
            parent[find(size + block)] = find(to)
    counts = [values[c] if c < function.counters else None for _, c in function.blocks]
    ends = collections.defaultdict(list)
    for block in range(size):
        ends[find(block)].append(block)
        ends[find(size + block)].append(block)
    work = list(ends)
    while work:
        place = work.pop()
        unknown = {block for block in ends[place] if counts[block] is None}
        if len(unknown) != 1:
            continue
        total = 0
        for block in range(size):
            if counts[block] is not None:
                total += (find(block) == place) * counts[block] - (find(size + block) == place) * counts[block]
        block = unknown.pop()
        counts[block] = max(0, total if find(size + block) == place else -total)
        work += [find(block), find(size + block)]
    assert None not in counts, f"{function.name}: counts that do not follow"
    return counts


Counts = collections.namedtuple("Counts", "calls covered order time blocks")


def counts_of(function, raw):
    """What a dump's raw section says of one function; absent kinds are None, or [] for blocks."""
    at = function.box - function.raw_start
    kinds, counters = function.kinds, function.counters
    calls = covered = order = time = None
    blocks = []
    if kinds & CALLS64:
        calls, = struct.unpack_from("<Q", raw, at)
        at += 8
    if kinds & BLOCKS64:
        blocks = infer_counts(function, struct.unpack_from(f"<{counters}Q", raw, at))
        at += 8 * counters
    if kinds & ORDER:
        order, time = struct.unpack_from("<II", raw, at)
        at += 8
    if kinds & CALLS32:
        calls, = struct.unpack_from("<I", raw, at)
        at += 4
    if kinds & COVERAGE:
        assert raw[at] in (0, 255)
        covered = raw[at] == 0
        at += 1
    if kinds & BLOCK_COVERAGE:
        assert all(value in (0, 255) for value in raw[at:at + counters])
        blocks = infer_coverage(function, [value == 0 for value in raw[at:at + counters]])
    return Counts(calls, covered, order, time, blocks)


def first_runs(functions, dump, threads=1):
    """Names of functions in the order of their first runs, of a dump of whichever kind that tells it."""
    if dump.order_ids:
        names = {function.order_id: function.name for function in functions if function.kinds & ORDER_LOG}
        return [names[entry] for entry in dump.order_ids]
    if dump.order_calls:
        times = [time for _, time in dump.order_calls]
        # A thread that is interrupted between taking its number and looking at the clock tells a later time.
        assert threads > 1 or times == sorted(times), times
        names = []
        for place, _ in dump.order_calls:
            address = dump.raw_address + place
            names += [f.name for f in functions if f.address <= address < f.address + max(f.size, 1)][:1]
        return names
    ran = sorted((counts.order, counts.time, f.name) for f in functions for counts in [counts_of(f, dump.raw)] if counts.order)
    assert [number for number, _, _ in ran] == list(range(1, len(ran) + 1)), ran
    assert [time for _, time, _ in ran] == sorted(time for _, time, _ in ran), ran
    return [name for _, _, name in ran]
