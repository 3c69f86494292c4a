#!/usr/bin/env python3
"""Speedscope itself, as npm has it, in headless Chromium: it opens what pgokit exports, and its table of
functions has their weights."""
import base64
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "report"))
import browser  # noqa: E402
from viewers import TEXT, export  # noqa: E402

SANDWICH = "[...document.querySelectorAll('div')].find(one => /^.{1,3}Sandwich$/u.test(one.innerText)).click()"
ROWS = "[...document.querySelectorAll('tr')].map(row => [...row.children].map(cell => cell.innerText).join('|'))"
EXPECTED = {"main": 30, "outer(int)": 30, "middle": 10, "inner": 10}
LINES = TEXT.replace("100/102", "100/101").replace(" 5 cycles:u", " 5 page-faults")


def main():
    if not browser.CHROMIUM or not shutil.which("npm"):
        print("skipped: chromium or npm is not here")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        packed = subprocess.run(["npm", "pack", "speedscope@1.25.0"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                check=False, timeout=120)
        if packed.returncode:
            print("skipped: speedscope cannot be fetched from npm")
            return 77
        with tarfile.open(folder / "speedscope-1.25.0.tgz") as archive:
            archive.extractall(folder, filter="data")
        (folder / "app.txt").write_text(LINES)
        exported = export(folder / "app.txt", "speedscope")
        script = folder / "profile.js"
        script.write_text(f'speedscope.loadFileFromBase64("app", "{base64.b64encode(exported).decode()}")')
        page = folder / "package/dist/release/index.html"
        with browser.Browser() as opened:
            opened.call("Page.navigate", url=f"{page.as_uri()}#localProfilePath={script}")
            for _ in range(100):
                if opened.run("document.title").startswith(str(folder / "app.txt")):
                    break
                time.sleep(0.1)
            opened.run(SANDWICH)
            rows = []
            for _ in range(100):
                rows = opened.run(ROWS)
                if len(rows) > 1:
                    break
                time.sleep(0.1)
            # A machine without a graphics processor complains of that.
            complaints = [one for one in opened.complaints if "WebGL" not in one]
            assert not complaints, complaints
        found = {}
        for row in rows[1:]:
            total, _, function = row.split("|")
            found[function.strip()] = int(re.match(r"[\d,]+", total)[0].replace(",", ""))
        assert found == EXPECTED, (found, rows)
    print("speedscope shows", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
