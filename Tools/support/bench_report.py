"""The benchmark's tables, in plain text."""
import statistics

# Case, arm, what is compared, with which arm, and the bound of the ratio.
GOALS = [
    ("small-1", "curl", "rate", "urlsession", ">=", 3.8),
    ("small-16", "curl", "rate", "urlsession", ">=", 12),
    ("small-64", "curl", "rate", "urlsession", ">=", 15),
    ("small-64", "curl", "rate", "c", ">=", 0.8),
    ("small-64", "curl", "cpu", "urlsession", "<=", 0.07),
    ("small-64", "curl-stages", "rate", "curl", ">=", 0.8),
    ("small-64", "curl-stages", "rate", "curl-equal", ">=", 0.8),
    ("list-8", "curl", "rate", "urlsession", ">=", 6),
    ("big-stream", "curl", "rate", "urlsession", ">=", 5),
    ("cache-memory", "memory", "rate", "curl", ">=", 8),
    ("cache-disk", "disk", "time", "sqlite", "<=", 2.5),
    # From 1,000 to 100,000 the logarithm grows by two thirds.
    ("cache-growth", "memory-100k", "p50", "memory-1k", "<=", 1.67),
    ("cache-growth", "disk-100k", "p50", "disk-1k", "<=", 1.67),
    ("small-1", "session-typed", "cpu", "urlsession", "<=", 1.15),
    ("small-16", "session-typed", "cpu", "urlsession", "<=", 1.15),
]
MEMORY_LIMIT = 40e6
UNITS = {"rate": "req/s", "cpu": "CPU", "time": "time", "p50": "p50"}

# What went wrong, to be said at the end.
failures = []


def median(rounds, arm, key):
    values = [each[arm][key] for each in rounds if arm in each and key in each[arm] and "broken" not in each[arm]]
    return statistics.median(values) if values else None


def ratio(rounds, arm, key, other):
    """The median of the ratios within each round, so that a slow moment of the machine counts on both sides."""
    values = [
        each[arm][key] / each[other][key]
        for each in rounds
        if arm in each and other in each and "broken" not in each[arm] and "broken" not in each[other]
    ]
    return statistics.median(values) if values else None


def number(value, form="{:,.0f}"):
    return "-" if value is None else form.format(value)


def print_table(title, header, rows):
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print("  " + "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths))))


def print_case(name, case, rounds, counts):
    note_failures(name, rounds)
    is_big = case.requests("c") < 100
    header = ["arm", "MB/s" if is_big else "req/s", "x URLSession", "x C", "p50 us", "p99 us",
              "CPU us", "x URLSession", "x C", "calls", "mallocs", "peak MB"]
    rows = []
    for arm in case.arms:
        rows.append([
            arm,
            number(median(rounds, arm, "megabytes" if is_big else "rate")),
            number(ratio(rounds, arm, "rate", "urlsession"), "{:.2f}"),
            number(ratio(rounds, arm, "rate", "c"), "{:.2f}"),
            number(median(rounds, arm, "p50")),
            number(median(rounds, arm, "p99")),
            number(scaled(median(rounds, arm, "cpu"), 1e6), "{:,.1f}"),
            number(ratio(rounds, arm, "cpu", "urlsession"), "{:.3f}"),
            number(ratio(rounds, arm, "cpu", "c"), "{:.2f}"),
            number(counts[arm]["calls"], "{:,.1f}"),
            number(counts[arm]["allocations"], "{:,.1f}"),
            number(scaled(median(rounds, arm, "peak"), 1e-6)),
        ])
    print_table(f"{name}: {case.title} (medians of {len(rounds)} rounds; CPU, calls and mallocs a request)", header, rows)


def scaled(value, factor):
    return None if value is None else value * factor


def note_failures(name, rounds):
    for each in rounds:
        for arm, result in each.items():
            if "broken" in result:
                failures.append(f"{name}, {arm}: {result['broken']}")


def print_cache(name, title, arms, rounds):
    note_failures(name, rounds)
    rows = [
        [arm, number(median(rounds, arm, "rate")), number(ratio(rounds, arm, "time", arms[0]), "{:.2f}"),
         number(median(rounds, arm, "p50"), "{:.1f}"), number(median(rounds, arm, "p99"), "{:.1f}"),
         number(scaled(median(rounds, arm, "peak"), 1e-6))]
        for arm in arms
    ]
    print_table(f"{name}: {title} (medians of {len(rounds)} rounds)",
                ["arm", "hits/s", f"time x {arms[0]}", "p50 us", "p99 us", "peak MB"], rows)


def print_memory(title, rows):
    note_failures(title, [dict(rows)])
    print_table(f"{title}, peak of the process", ["", "MB/s", "peak MB", f"limit {MEMORY_LIMIT / 1e6:.0f} MB"], [
        [name, "-", "-", "failed"] if "broken" in result else [
            name, number(result["bytes"] / 1e6 / result["seconds"]), number(result["peak"] / 1e6, "{:.1f}"),
            "held" if result["peak"] < MEMORY_LIMIT else "NOT HELD"]
        for name, result in rows
    ])


def best_ratio(rounds, arm, key, other):
    """The ratio of the best of all rounds: what the machine does beside can only slow a run down."""
    best = [max((each[name][key] for each in rounds if "broken" not in each[name]), default=None) for name in (arm, other)]
    return None if None in best else best[0] / best[1]


def print_watching(pairs):
    """What somebody who watches costs: the ratio of the best rates, and the median of the ratios of the CPU."""
    rows = []
    for mode, rounds in pairs.items():
        note_failures("transfer", rounds)
        for key, relation, bound, compare in [("rate", ">=", 0.98, best_ratio), ("cpu", "<=", 1.02, ratio)]:
            found = compare(rounds, "transfer-watched", key, "transfer")
            if found is not None:
                isReached = found >= bound if relation == ">=" else found <= bound
                rows.append([f"{mode}: {key}", f"{relation} {bound}", f"{found:.3f}", "reached" if isReached else "NOT REACHED"])
    print_table("transfer: watched to unwatched", ["ratio", "goal", "found", ""], rows)


def print_heap(rows):
    note_failures("heap", [dict(rows)])
    print_table(
        "heap: live bytes, 64 in flight, 62 bytes each",
        ["arm", "requests", "after 10,000", "at the end", "bytes a request"],
        [
            [arm, "-", "-", "-", "failed"] if "broken" in result else [
                arm, number(result["requests"]), number(result["heapEarly"]), number(result["heapLate"]),
                number((result["heapLate"] - result["heapEarly"]) / (result["requests"] - 10_000), "{:.2f}")]
            for arm, result in rows
        ])


def print_start(seconds):
    print_table(
        "start: from start to end, median of 40", ["", "ms", "x curl"],
        [[name, number(1e3 * each, "{:.1f}"), number(each / seconds["curl"], "{:.2f}")] for name, each in seconds.items()])


def print_goals(rounds):
    rows = []
    for name, arm, key, other, relation, bound in GOALS:
        found = ratio(rounds.get(name, []), arm, key, other)
        if found is not None:
            isReached = found >= bound if relation == ">=" else found <= bound
            rows.append([
                f"{name}: {UNITS[key]} of {arm} to {other}", f"{relation} {bound}",
                f"{found:.3f}", "reached" if isReached else "NOT REACHED"])
    if rows:
        print_table("goals", ["ratio", "goal", "found", ""], rows)
    for failure in failures:
        print(f"FAILED {failure}")
