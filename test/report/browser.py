"""Headless Chromium as tests need it: a page is opened from a file, scripts are run in it, and pictures taken.

    with Browser() as browser:
        browser.open("report.html", width=1400, height=900, dark=True)
        browser.run("document.querySelectorAll('section').length")
        png = browser.picture()
        assert not browser.complaints
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()
        words = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                 f"--user-data-dir={self.folder.name}", "about:blank"]
        # The protocol is spoken by the descriptors 3 and 4.
        self.process = subprocess.Popen(["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "-", *words],
                                        pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(from_write)
        self.buffer, self.number, self.session = b"", 0, None
        self.complaints = []  # of the console, and exceptions
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Page", "Log", "Network"):
            self.call(domain + ".enable")
        self.requests = []  # addresses of everything that was asked for

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.folder.cleanup()

    def read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.from_read, 1 << 16)
            if not more:
                raise RuntimeError("chromium ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(told["exceptionDetails"].get("exception", {}).get("description") or told["exceptionDetails"]["text"])
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(told["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path, width=1400, height=900, dark=False, media=""):
        self.complaints, self.requests = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        end = time.monotonic() + 60
        while self.run("document.documentElement?.dataset.ready") != "yes":
            if time.monotonic() > end:
                raise RuntimeError(f"{path}: never ready; {self.complaints}")
            time.sleep(0.05)

    def run(self, script):
        """The value of an expression; promises are waited for."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{script}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, **({"text": name} if len(name) == 1 and kind == "keyDown" else {}))

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def painted(self):
        """Milliseconds to the first paint of contents."""
        paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        return self.run(f"new Promise(tell => (function ask() {{ const at = {paint}; at ? tell(at) : setTimeout(ask, 20); }})())")

    def picture(self):
        """A PNG of what can be seen."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pages(self):
        """How many pages are printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]).count(b"/Type /Page\n")
