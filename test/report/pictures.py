"""Pictures of pages, compared roughly: pictures.json has a grid of each, how light its cells are and in which something stands, and another
picture is alike where few cells differ. Fonts and versions of the browser may change; a page that is blank, without style or half empty differs.

    python3 test/report/page.py PGOKIT WALK --take-pictures      # writes pictures.json again
"""
import json
import pathlib
import struct
import zlib

COLUMNS, ROWS = 28, 18
STORE = pathlib.Path(__file__).resolve().with_name("pictures.json")
LEVELS = 2  # of the 16 of brightness: less is no difference
LIGHTER, INK = 0.12, 0.35  # what may differ, of differences()


def pixels(png):
    """Width, height, and (r, g, b) rows of a PNG of 8 bits without interlacing, which is what Chromium makes."""
    at, data, width, height, colour = 8, b"", 0, 0, 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            data += body
        at += 12 + size
    channels = {2: 3, 6: 4}[colour]
    raw, stride = zlib.decompress(data), width * channels
    rows, above = [], bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 2:
            line = bytearray((a + b) & 255 for a, b in zip(line, above))
        elif kind:
            for i in range(stride):
                left = line[i - channels] if i >= channels else 0
                up, corner = above[i], above[i - channels] if i >= channels else 0
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    guess = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
                line[i] = (line[i] + guess) & 255
        rows.append(line)
        above = line
    return width, height, channels, rows


def thumbnail(png):
    """Rows of letters, one for each cell: from a (black) to p (white), a capital where something stands in it."""
    width, height, channels, rows = pixels(png)
    return ["".join(cell(rows[row * height // ROWS:(row + 1) * height // ROWS:2], column * width // COLUMNS * channels,
                         (column + 1) * width // COLUMNS * channels, channels) for column in range(COLUMNS)) for row in range(ROWS)]


def cell(lines, begin, end, channels):
    greys = [[(line[x] * 3 + line[x + 1] * 6 + line[x + 2]) // 10 for x in range(begin, end, channels)] for line in lines]
    steps = sum(abs(a - b) > 30 for line in greys for a, b in zip(line, line[1:]))
    count = sum(map(len, greys))
    letter = chr(ord("a") + sum(map(sum, greys)) // count // 16)
    return letter.upper() if steps > count / 200 else letter


def differences(one, other):
    """Shares of cells: that are lighter or darker; and of those in which something stands, in one of both only."""
    cells = [(a, b) for rows in zip(one, other) for a, b in zip(*rows)]
    lighter = sum(abs(ord(a.lower()) - ord(b.lower())) > LEVELS for a, b in cells)
    either, both = sum(a.isupper() or b.isupper() for a, b in cells), sum(a.isupper() and b.isupper() for a, b in cells)
    return lighter / len(cells), 1 - both / (either or 1)


def alike(one, other):
    lighter, ink = differences(one, other)
    return lighter <= LIGHTER and ink <= INK


def references():
    return json.loads(STORE.read_text(encoding="utf-8"))


def write(thumbnails):
    STORE.write_text(json.dumps(thumbnails, indent=1) + "\n", encoding="utf-8")
