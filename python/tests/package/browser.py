# SPDX-License-Identifier: MIT
"""Drives Chromium through chromedriver's HTTP interface, so that the tests of the site need no library for it."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find():
    """The paths of Chromium and of its driver, or the name of what is missing."""
    binary = next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    return (binary, driver) if binary and driver else "chromium" if driver else "chromedriver"


class Browser:
    """A browser without a window; use it in a `with` block."""

    def __init__(self, width=1400, height=1000):
        binary, driver = find()
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.process.stdout:
            if "was started successfully on port" in line:
                self.base = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--window-size={width},{height}",
        ]
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": binary, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        try:
            self.session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})[
                "sessionId"
            ]
        except Exception:
            self.process.kill()
            self.process.communicate()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", f"/session/{self.session}")
        finally:
            self.process.terminate()
            self.process.communicate()

    def _call(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                request, timeout=60
            ) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def _do(self, what, body=None, method="POST"):
        return self._call(method, f"/session/{self.session}/{what}", body)

    def open(self, address):
        self._do("url", {"url": address})

    def run(self, script, *arguments):
        """The value that a script of JavaScript returns."""
        return self._do("execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self._do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def type(self, selector, text):
        """Types into an element; "\\n" is the enter key."""
        element = self._do("element", {"using": "css selector", "value": selector})
        (key,) = element.values()
        self._do(f"element/{key}/value", {"text": text.replace("\n", "\ue007")})

    def wait_for(self, script, seconds=30):
        """Waits until a script returns something true, and returns that."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.05)
        return value

    def errors(self):
        """Messages of the console since the last call that are errors."""
        entries = self._do("se/log", {"type": "browser"})
        return [one["message"] for one in entries if one["level"] == "SEVERE"]

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self._do("screenshot", method="GET")))
