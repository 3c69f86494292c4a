#!/usr/bin/env python3
"""Where benches get the sources of Debian's packages from: what they make of apt's own lists.

    source_package.py BENCH_SUPPORT
"""
import pathlib
import sys
import tempfile
import textwrap

sys.path.insert(0, sys.argv[1])
import source_package  # noqa: E402

LINES = """
    # deb http://commented.example/debian bookworm main
    deb [arch=amd64 signed-by=/usr/share/keyrings/one.gpg] http://one.example/debian bookworm main contrib  # the mirror
    deb http://one.example/debian bookworm-updates main
    deb http://one.example/security bookworm-security main
    deb-src http://two.example/debian bookworm main
"""
STANZAS = """
    # Of the release and its updates.
    Types: deb
    URIs: http://three.example/debian
     http://four.example/debian
    Suites: bookworm bookworm-updates
    Components: main non-free
    Architectures: amd64
    Signed-By:
     -----BEGIN
     .
     -----END

    Types: deb
    URIs: http://five.example/debian
    Suites: bookworm
    Components: main
    Enabled: no

    types: deb deb-src
    URIs: http://six.example/node
    Suites: nodistro
    Components: main
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        etc = pathlib.Path(name)
        (etc / "sources.list.d").mkdir()
        try:
            source_package.sources("bookworm", etc)
            assert False, "sources of no list"
        except source_package.Missing as why:
            assert "no source of bookworm main" in str(why), why
        (etc / "sources.list").write_text(textwrap.dedent(LINES), encoding="utf-8")
        (etc / "sources.list.d/debian.sources").write_text(textwrap.dedent(STANZAS), encoding="utf-8")
        (etc / "sources.list.d/off.sources.disabled").write_text(textwrap.dedent(STANZAS).replace("three", "seven"), encoding="utf-8")
        lines, stanzas = source_package.sources("bookworm", etc)
    assert lines == "deb-src [signed-by=/usr/share/keyrings/one.gpg] http://one.example/debian bookworm main\n", lines
    expected = """
        Types: deb-src
        URIs: http://three.example/debian
         http://four.example/debian
        Suites: bookworm
        Components: main
        Signed-By:
         -----BEGIN
         .
         -----END
        """
    assert stanzas.replace(": \n", ":\n") == textwrap.dedent(expected).lstrip("\n"), stanzas
    print("good")


main()
