#!/usr/bin/env python3
"""page.py PGOKIT WALK: the page of `pgokit report` in headless Chromium: contents, search, keys, zoom, themes, hostile names, sizes."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import checks
import pictures
from browser import CHROMIUM, Browser
from checks import check, run

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench/support")]
import big_program  # noqa: E402

PGOKIT, WALK = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])

SOURCE = """\
#include <cstdio>
__attribute__((noinline)) int odd(int x) { return x * 3; }
__attribute__((noinline)) int even(int x) { return x / 2; }
static int mix(int x) { return x ^ (x >> 3); }
__attribute__((noinline)) int evil(int x) __asm__("</script><script>document.title='taken'</script>");
int evil(int x) { return x + 9; }
int (*volatile table[])(int) = {odd, even, evil};
int main(int argc, char **) {
  unsigned s = 0;  // <b>bold</b> </script>
  for (int i = 0; i < 200000; i++) {
    if (i % 7 == 0)
      s += mix(i);
    else
      s += table[i % 3](i);
  }
  printf("%u\\n", s);
  return argc > 5;
}
"""


# As pgokit explain --json prints it, in part.
EXPLAINED = """{"program": "./<b>faster</b>", "samples": {"profile": 1000, "in_program": 900, "matched": 600, "lost_places": 0, "used": 500},
 "findings": [{"cause": "stale", "is_loss": true, "functions": 2, "samples": 400, "next": "pgokit match"}], "functions": [],
 "branches": {"list": [{"file": "/src/<b>a.c", "line": 7, "source": "f", "measured": 0.9, "believed": 0.25, "cause": "thin", "worth": 1234}]}}"""


def data_of(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    check("the data is one element", len(found) == 1)
    check("and there are no other scripts than the page's own", text.count("<script") == 2 and text.count("</script>") == 2, text.count("<script"))
    return json.loads(found[0])


def fails(what, told, *words, code=1):
    message = run(PGOKIT, "report", *words, code=code)
    check(what, told in message and message.count("\n") == 1, message)
    check("nothing is left of it", not pathlib.Path("bad.html").exists())


def check_text():
    """What needs no browser."""
    data = data_of("report.html")
    names = [data["names"][number] for number in data["functions"]["n"]]
    check("functions", {"main", "odd(int)", "even(int)"} <= set(names), names)
    check("a name that is a script", any("</script>" in name for name in names), names)
    listed = json.loads(run(PGOKIT, "report", "app.perf", "-b", "app", "--json"))["functions"]
    check("figures are those of the text", data["functions"]["s"] == [one["samples"] for one in listed])
    tree = data["tree"]
    check("parents come first", all(parent <= place for place, parent in enumerate(tree["p"])))
    own = list(tree["v"])
    for place, parent in list(enumerate(tree["p"]))[1:]:
        own[parent] -= tree["v"][place]
    check("a frame is as wide as those above it, or wider", min(own) >= 0, own)
    check("mix was inlined", any(data["names"][name] == "mix(int)" and kind == 1 for name, kind in zip(tree["n"], tree["k"])), tree)
    run(PGOKIT, "report", "app.perf", "-b", "app", "-o", "again.html")
    first, second = (re.sub("again.html|report.html", "", pathlib.Path(name).read_text()) for name in ("report.html", "again.html"))
    check("the same bytes again", first == second)
    check("both heat maps", [heat["title"] for heat in data_of("ordered.html")["heat"]] == ["as linked", "in the order of app.order"])
    fails("nothing was given", "pgokit report app.perf", "-o", "bad.html", code=2)
    fails("no page and no text", "-o report.html", "app.perf", code=2)
    fails("an order of nothing", "none of the functions", "app.perf", "-b", "app", "--order", "other.order", "-o", "bad.html")
    fails("no measurement", "pgokit measure --json", "app.perf", "-b", "app", "--measurement", "app.cc", "-o", "bad.html")
    fails("no explanation", "pgokit explain --json", "app.perf", "-b", "app", "--explanation", "measured.json", "-o", "bad.html")
    lines = [sum(digit != "0" for row in heat["lh"] for digit in row) for heat in data_of("ordered.html")["heat"]]
    check("each line that ran has its heat", lines == [heat["lines"] for heat in data_of("ordered.html")["heat"]] and min(lines) > 0, lines)
    check("the hottest has all of it", all("f" in "".join(heat["lh"]) for heat in data_of("ordered.html")["heat"]))
    fails("no remarks of a profile", "of which app.prof tells nothing", "app.prof", "--remarks", "app.opt.yaml", "-o", "bad.html", code=2)
    fails("no such remarks", "cannot open", "app.perf", "-b", "app", "--remarks", "none.yaml", "-o", "bad.html")
    fails("a folder without", "has no remarks", "app.perf", "-b", "app", "--remarks", "empty", "-o", "bad.html")
    fails("remarks of another program", "remarks of another build: probed has 1 of their 3 functions", "probed.perf", "-b", "probed", "--remarks", "other.yaml", "-o", "bad.html")
    fails("no size", "--max-size is from 1", "app.perf", "-b", "app", "--max-size", 0, "-o", "bad.html", code=2)
    fails("two kinds", "one profile", "app.perf", "app.prof", "-o", "bad.html", code=2)


def check_page(browser):
    browser.open("report.html")
    check("nothing complained", not browser.complaints, browser.complaints)
    check("nothing was fetched", [url for url in browser.requests if not url.startswith("file:")] == [], browser.requests)
    check("no script of a name has run", browser.run("document.title") == "app")
    sections = browser.run("[...document.querySelectorAll('section')].map(one => one.id)")
    check("sections", sections == ["verdict", "functions", "flames", "heat", "lines", "facts"], sections)
    top = browser.run("document.querySelector('.rows .row .name').textContent")
    check("the hottest function is first", top == "main", top)
    check("and open", browser.run("document.querySelector('.detail h2').textContent") == "main")
    source = browser.run("document.querySelector('.source').textContent")
    check("with its source as text", "s += table[i % 3](i);" in source and "<b>bold</b> </script>" in source, source)
    check("and machine code", "ret" in browser.run("document.querySelector('.machine').textContent"))
    check("of which branches have probabilities", " % taken" in browser.run("document.querySelector('.machine').textContent"))
    check("and calls have targets", "even(int)" in browser.run("document.querySelector('.machine').textContent"))
    check("what was inlined", "mix(int)" in browser.run("document.querySelector('.detail .tree').textContent"))
    inlined = browser.run("[...document.querySelectorAll('.source')].slice(1).map(one => one.textContent)")
    check("with its source", any("return x ^ (x >> 3);" in text for text in inlined), inlined)
    check("under its name", browser.run("[...document.querySelectorAll('.detail h3')].some(one => one.textContent.startsWith('Inlined: mix') && one.title === 'mix(int)')"))

    browser.run("document.querySelector('.scroll').focus()")
    browser.key("ArrowDown")
    second = browser.run("document.querySelector('.detail h2').textContent")
    check("keys move", second != "main", second)
    check("callers are told", "main" in browser.run("document.querySelector('.detail').textContent"))
    browser.key("/")
    check("the key / searches", browser.run("document.activeElement.type") == "search")
    browser.run("(e => { e.value = 'odd'; e.dispatchEvent(new Event('input')); return new Promise(r => setTimeout(r, 200)); })(document.querySelector('input'))")
    check("search finds", browser.run("[...document.querySelectorAll('.rows .name')].map(e => e.textContent)") == ["odd(int)"])
    browser.key("Escape")
    browser.run("new Promise(r => setTimeout(r, 200))")
    check("Escape ends it", browser.run("document.querySelectorAll('.rows .row').length") > 2)
    browser.run("[...document.querySelectorAll('.head button')].at(-1).click()")
    names = browser.run("[...document.querySelectorAll('.rows .name')].map(e => e.textContent)")
    check("columns sort", names == sorted(names), names)

    browser.run("document.querySelector('#flames').scrollIntoView()")
    place = browser.run("(r => [r.left, r.top])(document.querySelector('#flames canvas').getBoundingClientRect())")
    check("the graph tells all", browser.run("document.querySelector('#flames .status').textContent").startswith("all"))
    browser.click(place[0] + 20, place[1] + 30)
    zoomed = browser.run("document.querySelector('#flames .status').textContent")
    check("a click zooms", not zoomed.startswith("all"), zoomed)
    browser.run("document.querySelector('#flames canvas').focus()")
    browser.key("Escape")
    check("Escape zooms out", browser.run("document.querySelector('#flames .status').textContent").startswith("all"))
    browser.key("ArrowDown")
    check("keys move in it", not browser.run("document.querySelector('#flames .status').textContent").startswith("all"))
    check("still nothing complained", not browser.complaints, browser.complaints)
    check("it prints", 1 <= browser.pages() <= 12, browser.pages())


def check_columns(browser):
    """Numbers of any size can be read, and names have room on narrow pages."""
    run(PGOKIT, "generate", "app.perf", "-b", "app", "--format", "raw", "-o", "app.raw")
    pathlib.Path("large.raw").write_text(re.sub(r":(\d+)$", r":\g<1>00000000", pathlib.Path("app.raw").read_text(), flags=re.M))
    run(PGOKIT, "report", "large.raw", "-b", "app", "-o", "large.html")
    cut = "[...document.querySelectorAll('.row:not(.head) > :not(.name), .head > *')].filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    room = "Math.min(...[...document.querySelectorAll('.row > .name')].map(one => one.clientWidth))"
    beyond = "[...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > innerWidth && !one.closest('.detail, .scroll')).map(one => one.outerHTML.slice(0, 80))"
    for page in ("large.html", "report.html", "compared.html"):
        for width in (1400, 1300, 1010, 710, 420):
            browser.open(page, width=width)
            check(f"nothing is cut off in {page} at {width}", browser.run(cut) == [], browser.run(cut))
            check(f"names have room in {page} at {width}", browser.run(room) > 60, browser.run(room))
            check(f"{page} at {width} does not scroll sideways", browser.run("document.documentElement.scrollWidth <= innerWidth"), browser.run(beyond))


def check_probes_and_remarks(browser):
    data = data_of("probed.html")
    main = next(code for code in data["code"] if data["names"][code["n"]] == "main")
    own = [probe for probe in main["pr"] if len(probe) == 4]
    inlined = [probe for probe in main["pr"] if len(probe) == 5]
    check("probes of main", {probe[3][1] for probe in own} >= {1, 2} and all(data["names"][probe[3][0]] == "main" for probe in own), main["pr"])
    check("and of what was inlined in it", inlined and all(data["names"][probe[4][0]].startswith("mix(int)") for probe in inlined), main["pr"])
    browser.open("probed.html")
    check("nothing complained", not browser.complaints, browser.complaints)
    machine = browser.run("document.querySelector('.machine').textContent")
    check("probes are shown", "probe 1 (block)" in machine and re.search(r"probe 1 \(block\) of mix  @ \d+ main|probe 1 \(block\) of mix  @ \d+", machine), machine)
    source = browser.run("document.querySelector('.source').textContent")
    check("remarks stand at their line", re.search(r"inline passed: '_ZL3mixi[.\w]*' inlined into 'main'", source), source)
    check("and in the code", "inline passed: '_ZL3mixi" in machine)
    check("the name that is a script is text in them", browser.run("document.title") == "probed" and "</script>" in browser.run("document.querySelector('.detail').textContent"))


def check_source(browser):
    """A profile with the folder of its sources."""
    run(PGOKIT, "report", "app.prof", "--source", "src", "-o", "source.html")
    browser.open("source.html")
    check("nothing complained", not browser.complaints, browser.complaints)
    source = browser.run("document.querySelector('.source').textContent")
    check("the source of a profile", "s += table[i % 3](i);" in source and "<b>bold</b> </script>" in source, source)
    check("without machine code", browser.run("document.querySelector('.machine')") is None)


def brightness(browser):
    """Of the middle of the page, as it was painted."""
    return browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)")


def check_themes(browser):
    browser.open("ordered.html", dark=True)
    check("dark", brightness(browser) < 150 and not browser.complaints, browser.complaints)
    check("two maps of pages", browser.run("document.querySelectorAll('#heat .heat canvas').length") == 2)
    check("and of cache lines, before and after", browser.run("document.querySelectorAll('#lines .heat canvas').length") == 2)
    hot = """[...document.querySelectorAll('#lines canvas')].map(one => {
      const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue('--line').trim().match(/\\w\\w/g).map(x => parseInt(x, 16));
      const data = one.getContext('2d').getImageData(0, 0, one.width, one.height).data;
      let count = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] && (data[at] !== r || data[at + 1] !== g || data[at + 2] !== b)) ++count;
      return count;
    })"""
    painted, ordered = browser.run(hot), data_of("ordered.html")["heat"]
    check("a cell of 4 by 3 for each line that ran", painted == [12 * heat["lines"] for heat in ordered], (painted, [heat["lines"] for heat in ordered]))
    check("a measurement", "sleep 0.01" in browser.run("document.querySelector('#measurement').textContent"))
    funnel = browser.run("[...document.querySelectorAll('.step')].map(one => one.textContent)")
    check("the funnel", len(funnel) == 4 and funnel[3].startswith("50.0 %500"), funnel)
    check("and what was lost, with the next step", "stale40.0 % of the samples" in browser.run("document.querySelector('#explanation').textContent"))
    browser.open("ordered.html", dark=False)
    check("light", brightness(browser) > 600)
    pathlib.Path("odd.json").write_text('{"findings": 7, "comparisons": "</script>"}')
    run(PGOKIT, "report", "app.perf", "-b", "app", "--measurement", "odd.json", "--explanation", "odd.json", "-o", "odd.html")
    browser.open("odd.html")
    check("other JSON does no harm", not browser.complaints and "Not shown" in browser.run("document.body.textContent"), browser.complaints)
    browser.open("compared.html", width=600)
    check("two profiles", not browser.complaints and browser.run("document.querySelector('#flames h2').textContent").startswith("Flame graph, compared"))
    check("changes are shown", browser.run("document.querySelectorAll('.more, .less').length") > 0)
    check("a narrow page does not scroll sideways", browser.run("document.documentElement.scrollWidth <= innerWidth"))


LOOKS = {"light": {}, "dark": {"dark": True}, "print": {"media": "print"}}


def pictures_of(browser, page):
    """Of its first screen, in each look."""
    made = {}
    for look, how in LOOKS.items():
        browser.open(page, **how)
        browser.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        made[look] = pictures.thumbnail(browser.picture())
    return made


def check_pictures(browser):
    """They look as they did, roughly; and pages that are broken do not."""
    made = pictures_of(browser, "report.html")
    if "--take-pictures" in sys.argv:
        pictures.write(made)
    known = pictures.references()
    for look, cells in made.items():
        check(f"it looks as it did: {look}", pictures.alike(cells, known[look]), pictures.differences(cells, known[look]))
    html = pathlib.Path("report.html").read_text(encoding="utf-8")
    broken = {
        "no style": re.sub(r"<style>.*?</style>", "<style></style>", html, flags=re.S),
        "blank": html.replace("<style>", "<style>main, header { visibility: hidden; }"),
        "half of it": html.replace("<style>", "<style>.detail { visibility: hidden; }"),
    }
    for name, text in broken.items():
        pathlib.Path("broken.html").write_text(text, encoding="utf-8")
        for look, cells in pictures_of(browser, "broken.html").items():
            check(f"{name} is seen: {look}", not pictures.alike(cells, known[look]), pictures.differences(cells, known[look]))
    check("light is not dark", not pictures.alike(made["light"], made["dark"]))


def check_size():
    """A program of 8 MB of code has a page of 2 MB at most, by its bytes, and a smaller one where that is asked for."""
    code = big_program.text_bytes(big_program.build(pathlib.Path("big").resolve(), size=8 << 20, seeds=1, functions=150))
    check("8 MB of code", code >= 8 << 20, code)
    run(WALK, "big/big", "-o", "big.perf", "--kind", "hybrid", "--format", "perfdata", "--samples", "40000", "--depth", "32")
    for most in (2, 1):
        run(PGOKIT, "report", "big.perf", "-b", "big/big", "--max-size", most, "-o", "big.html")
        size, data = pathlib.Path("big.html").stat().st_size, data_of("big.html")
        print(f"{code / 1e6:.1f} MB of code, --max-size {most}: {size / 1e6:.2f} MB, {len(data['functions']['n'])} functions, {data['functions']['more']} left out, "
              f"code of {len(data['code'])}, {len(data['tree']['p'])} frames")
        check("its page is no larger", size <= most * 1000000, size)
        check("and has all kinds of things", len(data["functions"]["n"]) > 500 and len(data["code"]) > 5 and len(data["tree"]["p"]) > 100)
        listed = json.loads(run(PGOKIT, "report", "big.perf", "-b", "big/big", "--json"))["functions"]
        check("what is left out is counted", len(data["functions"]["n"]) + data["functions"]["more"] == len(listed))


def check_large(browser):
    """100,000 functions."""
    with open("large.prof", "w", encoding="utf-8") as file:
        for i in range(100000):
            file.write(f"_ZN7company7project9component{len(str(i)) + 8}function{i}Ev:{(i * 7919) % 1000003 + 1}:{i % 97}\n 1: {i % 97 + 1}\n 3: {i % 13}\n")
    run(PGOKIT, "report", "large.prof", "--max-size", 20, "-o", "large.html")
    check("all of them", len(data_of("large.html")["functions"]["n"]) == 100000)
    browser.open("large.html")
    check("no complaint", not browser.complaints, browser.complaints)
    check("few elements", browser.run("document.querySelectorAll('*').length") < 2000)
    print(f"100,000 functions: {pathlib.Path('large.html').stat().st_size / 1e6:.1f} MB, first paint after {browser.painted():.0f} ms")
    browser.run("document.querySelector('.scroll').scrollTop = 1e6")
    browser.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    check("rows far down", browser.run("document.querySelectorAll('.rows .row').length") > 10)
    browser.run("(e => { e.value = 'FUNCTION99999'; e.dispatchEvent(new Event('input')); return new Promise(r => setTimeout(r, 1000)); })(document.querySelector('input'))")
    check("one is found", browser.run("document.querySelectorAll('.rows .row').length") == 1)


def main():
    pathlib.Path("app.cc").write_text(SOURCE, encoding="utf-8")
    run("clang++-22", "-O2", "-g", "-fdebug-info-for-profiling", "-fuse-ld=lld-22", "-Wl,--build-id", "app.cc", "-o", "app")
    run(WALK, "app", "-o", "app.perf", "--kind", "hybrid", "--format", "perfdata", "--samples", "2000", "--depth", "16")
    run(PGOKIT, "generate", "app.perf", "-b", "app", "-o", "app.prof")
    pathlib.Path("app.order").write_text("_Z4eveni\n_Z3oddi\nmain\n")
    pathlib.Path("other.order").write_text("nobody\n")
    pathlib.Path("then.prof").write_text("main:900:1\n 1: 9\n_Z3oddi:100:7\n 0: 7\n_Z4eveni:400:9\n 0: 9\n")
    pathlib.Path("explained.json").write_text(EXPLAINED)
    pathlib.Path("measured.json").write_text(run(PGOKIT, "measure", "--json", "-n", 6, "--", "true", "sleep 0.01"))
    run(PGOKIT, "report", "app.perf", "-b", "app", "-o", "report.html")
    run(PGOKIT, "report", "app.perf", "-b", "app", "--order", "app.order", "--measurement", "measured.json", "--explanation", "explained.json",
        "-o", "ordered.html")
    run(PGOKIT, "report", "app.prof", "-b", "app", "--before", "then.prof", "-o", "compared.html")
    run("clang++-22", "-O2", "-g", "-fpseudo-probe-for-profiling", "-fsave-optimization-record", "-fuse-ld=lld-22", "-Wl,--build-id", "-c", "app.cc", "-o", "probed.o")
    run("clang++-22", "-fuse-ld=lld-22", "-Wl,--build-id", "probed.o", "-o", "probed")
    run(WALK, "probed", "-o", "probed.perf", "--kind", "hybrid", "--format", "perfdata", "--samples", "2000", "--depth", "16")
    run(PGOKIT, "report", "probed.perf", "-b", "probed", "--remarks", "probed.opt.yaml", "-o", "probed.html")
    pathlib.Path("other.yaml").write_text("".join(f"--- !Missed\nPass: inline\nName: TooCostly\nFunction: {name}\n...\n" for name in ("main", "parse", "emit")))
    for name in ("empty", "src"):
        pathlib.Path(name).mkdir()
    pathlib.Path("src/app.cc").write_text(SOURCE, encoding="utf-8")
    check_text()
    check_size()
    if not CHROMIUM:
        print("chromium is not installed: nothing is opened in it")
        sys.exit(77)
    with Browser() as browser:
        check_page(browser)
        check_columns(browser)
        check_probes_and_remarks(browser)
        check_source(browser)
        check_themes(browser)
        check_pictures(browser)
        check_large(browser)
    print(f"{checks.count} checks hold")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
