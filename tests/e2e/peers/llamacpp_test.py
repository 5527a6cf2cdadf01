"""The sweep against llama.cpp's own server: llamacpp_test.py TIDEMARK [unittest arguments].

What it shows that the simulator cannot: our reading of a stream, of usage and of capacity agrees with
a server that somebody else wrote. There a first chunk has null content, a token that ends in the
middle of a character brings no chunk, and a prompt's beginning is taken from a cache.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SLOTS = 4
COUNTED = (0, 4)  # exit codes: counts are right, too, where a busy machine makes the times invalid
# The server has one core and memory that it shares with strangers: a sweep that they disturb names another level.
KNEE_TRIES = 3
TIDEMARK = ""


class Peer:
    """llama.cpp's server as a child that ends with us."""

    def __init__(self, *arguments: str):
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "llamacpp_server.py"), "--slots", str(SLOTS), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self._process.stdout.readline().strip()  # a failed start closes it
        if not self.url:
            raise RuntimeError(f"the server did not start: exit {self._process.wait(30)}")

    def close(self) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._process.stdout.close()

    def metrics(self) -> dict[str, float]:
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value)
                for name, value in (line.rsplit(" ", 1) for line in lines if line[:1] not in ("", "#"))}

    def idle_metrics(self) -> dict[str, float]:
        """Its counters once no request is under way: each is added to when its request ends."""
        deadline = time.monotonic() + 10
        while True:
            metrics = self.metrics()
            if metrics["llamacpp:requests_processing"] + metrics["llamacpp:requests_deferred"] == 0:
                return metrics
            if time.monotonic() > deadline:
                raise RuntimeError("requests are still under way 10 s after the run")
            time.sleep(0.1)


def sweep(url: str, *arguments: str, timeout: float) -> tuple[subprocess.CompletedProcess, dict]:
    with tempfile.TemporaryDirectory(prefix="tidemark-peer-") as folder:
        done = subprocess.run(
            [TIDEMARK, "sweep", "--url", url, "--output-dir", folder, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
        sys.stderr.write(done.stdout + done.stderr)
        path = pathlib.Path(folder) / "result.json"
        return done, json.loads(path.read_text()) if path.exists() else {}


class LlamaCppServer(unittest.TestCase):
    def start(self, *arguments: str) -> Peer:
        peer = Peer(*arguments)
        self.addCleanup(peer.close)
        return peer

    def test_the_knee_is_named_at_its_slots(self):
        # Wide weights, short prompts and short answers: nearly all of a step is reading the weights from memory,
        # once for all sequences, so that four slots carry more than one although a single core computes them.
        peer = self.start("--layers", "1", "--width", "2048", "--heads", "16")
        for tries_left in reversed(range(KNEE_TRIES)):
            done, result = sweep(peer.url, "--concurrency", "1,2,4,8,16", "--request-count", "40", "--isl", "16",
                                 "--osl", "24", timeout=250)
            self.assertIn(done.returncode, COUNTED)
            self.assertEqual([level["measured"]["ok"] for level in result["levels"]], 5 * [40])
            named = result["knee"]["concurrency"] if result["knee"]["found"] else None
            if named == SLOTS or not tries_left:
                break
        self.assertEqual(named, SLOTS, result["knee"]["statement"])
        self.assertIn(f"saturates at {SLOTS} concurrent requests", done.stdout)

    def test_tokens_sent_are_the_tokens_it_counted(self):
        peer = self.start()
        before = peer.idle_metrics()
        done, result = sweep(peer.url, "--concurrency", "1,4,8", "--request-count", "40", "--isl", "100",
                             "--osl", "50", "--no-fill", timeout=100)
        after = peer.idle_metrics()
        self.assertIn(done.returncode, COUNTED)

        def rise(counter: str) -> int:
            return int(after[f"llamacpp:{counter}"] - before[f"llamacpp:{counter}"])

        self.assertEqual(result["output_tokens_sent"], rise("tokens_predicted_total"))
        self.assertEqual(result["input_tokens_sent"],
                         rise("prompt_tokens_total") + rise("prompt_tokens_cached_total"))
        for level in result["levels"]:
            with self.subTest(concurrency=level["concurrency"]):
                self.assertEqual(level["token_count_sources"]["usage"], 40)
                self.assertEqual(level["total_output_tokens"], 40 * 50)

    # Each letter is a token there and words differ in length: no tokenizer is harder on a calibration
    # that counts words.
    def test_prompts_have_about_the_length_asked_for(self):
        peer = self.start()
        done, result = sweep(peer.url, "--concurrency", "2", "--request-count", "40", "--isl", "400", "--osl", "8",
                             "--no-fill", timeout=60)
        self.assertIn(done.returncode, COUNTED)
        mean = result["levels"][0]["total_input_tokens"] / 40
        self.assertAlmostEqual(mean, 400, delta=0.04 * 400)


if __name__ == "__main__":
    TIDEMARK = sys.argv.pop(1)
    unittest.main(verbosity=2)
