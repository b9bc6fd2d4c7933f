#!/usr/bin/env python3
"""Runs the benchmarks and prints their tables. Called by Tools/bench, which builds the programs."""
import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import bench_cache
import bench_report
import bench_server

ROOT = Path(__file__).resolve().parents[2]
# The arms by name: the program and its own name for the arm.
ARMS = {
    "c": ("bench-c", None),
    "urlsession": ("bench-urlsession", "raw"),
    "session": ("bench-urlsession", "transport"),
    "session-typed": ("bench-urlsession", "typed"),
    "curl": ("bench-curl", "bare"),
    "curl-equal": ("bench-curl", "equal"),
    "curl-typed": ("bench-curl", "typed"),
    "curl-watched": ("bench-curl", "watched"),
    "curl-stages": ("bench-curl", "stages"),
    "curl-coalescing": ("bench-curl", "coalescing"),
    "transfer": ("bench-curl", "transfer"),
    "transfer-watched": ("bench-curl", "progress"),
}
LIMIT = 300  # seconds for one run of a program


@dataclass
class Case:
    """One table: every arm asks for the same document in the same way."""

    title: str
    path: str
    mode: str = "buffer"
    in_flight: int = 1
    slow: int = 1  # requests of an arm on URLSession
    fast: int = 1  # requests of every other arm
    c_buffer: int = 16_384  # the baseline's receive buffer
    arms: tuple = ("c", "urlsession", "session", "session-typed", "curl", "curl-typed")

    def requests(self, arm):
        return self.slow if ARMS[arm][0] == "bench-urlsession" else self.fast


SMALL = tuple(arm for arm in ARMS if not arm.startswith("transfer"))
STREAMING = ("c", "urlsession", "session", "curl", "curl-typed")
CASES = {
    "small-1": Case("62 bytes, 1 in flight", "small.json", "buffer", 1, 3_000, 15_000, arms=SMALL),
    "small-16": Case("62 bytes, 16 in flight", "small.json", "buffer", 16, 5_000, 60_000, arms=SMALL),
    "small-64": Case("62 bytes, 64 in flight", "small.json", "buffer", 64, 5_000, 60_000, arms=SMALL),
    "list-8": Case("98.9 kB, 8 in flight", "list.json", "buffer", 8, 3_000, 20_000, c_buffer=262_144),
    "big-buffer": Case("256 MB in memory", "big.bin", "buffer", 1, 2, 4, c_buffer=262_144),
    "big-stream": Case(
        "256 MB through the async sequence", "big.bin", "stream", 1, 2, 6, 262_144, STREAMING),
    "big-file": Case("256 MB to a file", "big.bin", "file", 1, 2, 4, 262_144, STREAMING),
}
OTHERS = {
    "memory": "1 GB down to a slow reader and up from a slow producer, HTTP/1.1 and HTTP/2: peak memory",
    "transfer": "a sparse file of 4 GB up and down again: peak memory, and what watching the progress costs",
    "heap": "the live heap after 10,000 requests and after many more",
    "start": "start-up of `brewtips --version` beside `curl --version`",
}


class Bench:
    def __init__(self, programs, server, folder):
        self.programs = programs
        self.server = server
        self.folder = folder

    def command(self, arm, mode, url, **options):
        program, name = ARMS[arm]
        words = [f"{self.programs}/{program}", *([name] if name else []), mode, url]
        for option, value in options.items():
            words += ["--" + option.replace("_", "-"), str(value)]
        return words

    def run(self, command, **environment):
        """One run of a program: what it printed, with the CPU seconds it used, from its birth to its end."""
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, env={**os.environ, **environment})
            limit = time.monotonic() + LIMIT
            while True:
                found, status, usage = os.wait4(process.pid, os.WNOHANG)
                if found:
                    process.returncode = os.waitstatus_to_exitcode(status)
                    break
                if time.monotonic() > limit:
                    process.kill()
                time.sleep(0.005)
            output.seek(0)
            text = output.read().decode(errors="replace")
        lines = [line for line in text.splitlines() if line.startswith("{")]
        if process.returncode != 0 or not lines:
            return {"broken": f"exit code {process.returncode}. {text.strip()[-300:]}"}
        result = json.loads(lines[-1])
        result["cpu"] = usage.ru_utime + usage.ru_stime
        if result["failures"]:
            result["broken"] = f"{result['failures']} failures. {text.strip()[:300]}"
        return result

    def case_command(self, case, arm, requests, warm_up):
        options = {"requests": requests, "in_flight": case.in_flight, "warm_up": warm_up}
        if case.mode == "file":
            options["file"] = f"{self.folder}/download"
        if arm == "c":
            options["buffer"] = case.c_buffer
        return self.command(arm, case.mode, f"{self.server.plain}/{case.path}", **options)

    def measure(self, case, arm):
        requests = case.requests(arm)
        warm_up = requests // 10 if requests > 100 else 1
        result = self.run(self.case_command(case, arm, requests, warm_up))
        expected = requests * os.path.getsize(f"{self.folder}/content/{case.path}")
        if "broken" not in result and result["bytes"] != expected:
            result["broken"] = f"{result['bytes']} bytes came instead of {expected}"
        if "broken" in result:
            return result
        result["rate"] = requests / result["seconds"]
        result["megabytes"] = result["bytes"] / 1e6 / result["seconds"]
        result["cpu"] = result["cpu"] / (requests + warm_up)
        return result

    def count(self, case, arm):
        """System calls and allocations a request: what a longer run has more than a short one."""
        few, many = (1, 3) if case.requests(arm) < 100 else (200, 1_200)
        calls = [self.system_calls(self.case_command(case, arm, number, 0)) for number in (few, many)]
        allocations = [self.allocations(self.case_command(case, arm, number, 0)) for number in (few, many)]
        return {
            "calls": difference(calls, many - few), "allocations": difference(allocations, many - few),
        }

    def system_calls(self, command):
        path = f"{self.folder}/strace"
        result = self.run(["strace", "-f", "-c", "-o", path, *command])
        if "broken" in result:
            return None
        rows = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
        return sum(int(row[3]) for row in rows if len(row) in (5, 6) and row[3].isdigit() and row[-1] != "total")

    def allocations(self, command):
        path = f"{self.folder}/allocations"
        result = self.run(command, LD_PRELOAD=f"{self.programs}/libCountingMalloc.so", COUNTING_MALLOC_FILE=path)
        return None if "broken" in result else int(Path(path).read_text(encoding="utf-8"))

    # The other cases

    def memory(self):
        rows = []
        for protocol, base in [("HTTP/1.1", self.server.plain), ("HTTP/2", self.server.tls)]:
            for direction, mode, path in [("down", "slow", "huge.bin"), ("up", "upload", "upload")]:
                result = self.run(
                    self.command("curl", mode, f"{base}/{path}", requests=1, ca_file=self.server.ca_file))
                if result.get("protocol", protocol) != protocol:
                    result["broken"] = f"{result['protocol']} was spoken"
                rows.append((f"1 GB {direction}, {protocol}", result))
        bench_report.print_memory("memory: CurlTransport", rows)

    def transfer(self, gigabytes, rounds):
        """The whole file once each way; then pairs of smaller ones, watched and not, whose ratio counts."""
        names = {"large": gigabytes << 30, "small": 256 << 20}
        for name, size in names.items():
            with open(f"{self.folder}/content/{name}.transfer", "wb") as file:
                file.truncate(size)
        rows = [
            (f"{gigabytes} GB {mode}", self.move(mode, "large", "transfer-watched", 1, self.folder))
            for mode in ("upload", "file")]
        bench_report.print_memory("transfer: CurlTransport", rows)
        pairs = {"upload": [], "file": []}
        # In memory, where there is such a folder: each download waits for its disk, whose moods would be all one saw.
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else self.folder
        with tempfile.TemporaryDirectory(prefix="bench-", dir=memory) as folder:
            for _ in range(rounds):
                for mode, results in pairs.items():
                    arms = random.sample(["transfer", "transfer-watched"], 2)
                    results.append({arm: self.move(mode, "small", arm, 4, folder) for arm in arms})
        bench_report.print_watching(pairs)

    def move(self, mode, name, arm, requests, folder):
        path = f"{self.folder}/content/{name}.transfer"
        file, place = (path, "upload") if mode == "upload" else (f"{folder}/moved", f"{name}.transfer")
        result = self.run(self.command(arm, mode, f"{self.server.plain}/{place}", file=file, requests=requests))
        surplus = 1_000 if mode == "upload" else 0  # what a form has beside the file
        if "broken" not in result and not 0 <= result["bytes"] / requests - os.path.getsize(path) <= surplus:
            result["broken"] = f"{result['bytes']} bytes were moved"
        if "broken" not in result:
            result["rate"] = result["bytes"] / result["seconds"]
        return result

    def heap(self, requests):
        rows = []
        for arm, number in [("curl", requests), ("curl-typed", requests), ("urlsession", min(requests, 40_000))]:
            command = self.command(arm, "heap", f"{self.server.plain}/small.json", requests=number, in_flight=64)
            rows.append((arm, self.run(command)))
        bench_report.print_heap(rows)


def difference(pair, requests):
    return None if None in pair else (pair[1] - pair[0]) / requests


def start_up():
    """Median seconds of 40 starts of each, one after the other."""
    build = ["swift", "build", "-c", "release", "--package-path", f"{ROOT}/Packages/BrewTipsCLI",
             "--scratch-path", f"{ROOT}/.build/bench-brewtips", "--product", "brewtips"]
    built = subprocess.run(build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if built.returncode != 0:
        print(f"\nstart: brewtips could not be built:\n{built.stdout[-2_000:]}")
        return
    folder = subprocess.run([*build, "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    commands = {"curl": ["curl", "--version"], "brewtips": [f"{folder}/brewtips", "--version"]}
    times = {name: [] for name in commands}
    for _ in range(40):
        for name, command in random.sample(list(commands.items()), 2):
            began = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - began)
    bench_report.print_start({name: statistics.median(each) for name, each in times.items()})


def parse_arguments():
    parser = argparse.ArgumentParser(prog="Tools/bench", description="Measures the transports and the client.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these cases")
    parser.add_argument("--rounds", type=int, default=5, help="how often each arm runs in each case")
    parser.add_argument("--gigabytes", type=int, default=4, help="the size of the file in `transfer`")
    parser.add_argument("--full", action="store_true", help="1,000,000 requests in `heap`")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--programs", help=argparse.SUPPRESS)
    options = parser.parse_args()
    known = {**{name: case.title for name, case in CASES.items()}, **bench_cache.CASES, **OTHERS}
    if options.list:
        for name, title in known.items():
            print(f"{name:12}{title}")
        sys.exit()
    for name in options.names:
        if name not in known:
            parser.error(f"there is no case {name}: see --list")
    options.names = options.names or list(known)
    return options


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as an exception, so that nginx is stopped
    cases = {name: case for name, case in CASES.items() if name in options.names}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, bench_server.running(folder) as server:
        bench = Bench(options.programs, server, folder)
        cache = bench_cache.CacheBench(bench, options.names)
        rounds = {name: [] for name in cases}
        for number in range(options.rounds if cases or cache.names else 0):
            print(f"round {number + 1} of {options.rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
            for name, case in cases.items():
                arms = random.sample(case.arms, len(case.arms))
                rounds[name].append({arm: bench.measure(case, arm) for arm in arms})
            cache.round(rounds)
        for name, case in cases.items():
            counts = {arm: bench.count(case, arm) for arm in case.arms}
            bench_report.print_case(name, case, rounds[name], counts)
        cache.report(rounds)
        if "memory" in options.names:
            bench.memory()
        if "transfer" in options.names:
            bench.transfer(options.gigabytes, options.rounds)
        if "heap" in options.names:
            bench.heap(1_000_000 if options.full else 100_000)
        if "start" in options.names:
            start_up()
        bench_report.print_goals(rounds)
    sys.exit(1 if bench_report.failures else 0)


if __name__ == "__main__":
    main()
