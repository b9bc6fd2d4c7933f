"""The benchmarks of the cache. Called by bench.py."""
import random
import shutil
import subprocess
import sys

import bench_report

CASES = {
    "cache-memory": "1 kB from a memory store of 100,000 through the client, beside CurlTransport on nginx; 1 in flight",
    "cache-disk": "1 kB from a disk store of 100,000, beside the same row by a bare prepared statement",
    "cache-growth": "the same through the client, with 1,000 and with 100,000 entries",
    "cache-big": "1 GB stored and served: peak memory",
}
# For each case and arm: the program's own name for the arm, entries, requests.
ARMS = {
    "cache-memory": {
        "curl": ("curl", 0, 15_000), "memory": ("memory", 100_000, 200_000),
        "disk-client": ("disk-client", 100_000, 50_000),
    },
    "cache-disk": {"sqlite": ("sqlite", 100_000, 200_000), "disk": ("disk", 100_000, 100_000)},
    "cache-growth": {
        "memory-1k": ("memory", 1_000, 200_000), "memory-100k": ("memory", 100_000, 200_000),
        "disk-1k": ("disk-client", 1_000, 50_000), "disk-100k": ("disk-client", 100_000, 50_000),
    },
}


class CacheBench:
    """Runs the cases that were asked for, a round at a time."""

    def __init__(self, bench, names):
        self.bench = bench
        self.names = [name for name in CASES if name in names]
        self.folders = {}
        for entries in sorted({arm[1] for name in self.names for arm in ARMS.get(name, {}).values() if "disk" in arm[0]}):
            self.folders[entries] = f"{bench.folder}/cache-{entries}"
            print(f"storing {entries:,} entries", file=sys.stderr)
            fill = self.command("fill", entries, self.folders[entries], 1, 0)
            subprocess.run(fill, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)

    def command(self, arm, entries, folder, requests, warm_up):
        programs = self.bench.programs
        numbers = ["--entries", str(entries), "--requests", str(requests), "--warm-up", str(warm_up)]
        if arm == "sqlite":
            return [f"{programs}/bench-sqlite", f"{folder}/cache.sqlite", *numbers]
        return [f"{programs}/bench-cache", arm, "buffer", f"file://{folder}", *numbers]

    def measure(self, kind, entries, requests):
        if kind == "curl":
            url = f"{self.bench.server.plain}/small.json"
            command = self.bench.command("curl", "buffer", url, requests=requests, warm_up=requests // 10)
        else:
            command = self.command(kind, entries, self.folders.get(entries, "/none"), requests, requests // 10)
        result = self.bench.run(command)
        if "broken" not in result:
            result["time"] = result["seconds"] / requests
            result["rate"] = 1 / result["time"]
        return result

    def round(self, rounds):
        """Adds a round of each case to `rounds`."""
        for name in self.names:
            if name not in ARMS:
                continue
            arms = random.sample(list(ARMS[name]), len(ARMS[name]))
            rounds.setdefault(name, []).append({arm: self.measure(*ARMS[name][arm]) for arm in arms})

    def report(self, rounds):
        """Prints the tables."""
        for name in self.names:
            if name in ARMS:
                bench_report.print_cache(name, CASES[name], list(ARMS[name]), rounds[name])
        if "cache-big" in self.names:
            folder = f"{self.bench.folder}/cache-big"
            rows = []
            for title, requests in [("1 GB stored", 1), ("1 GB stored, then served twice", 3)]:
                rows.append((title, self.bench.run(self.command("big", 0, folder, requests, 0))))
                shutil.rmtree(folder, ignore_errors=True)
            bench_report.print_memory("cache-big: NetCacheSQLite behind a client", rows)
