"""Runs SQL in DuckDB or in ClickHouse, in this process.

serve.py duckdb|clickhouse DIRECTORY THREADS

It first prints {"version": ...}. Then it reads one JSON object a line and answers with one:

  {"do": [sql, ...]}                         {} once all are done
  {"ask": [sql, ...], "runs": n, "warm": m}  {"ms": [...], "rows": [[[number, ...], ...], ...]}
  anything that fails                        {"error": text}

An ask runs its statements one after the other, m times unmeasured, then n times; a
time is that of all of them. Rows are those of the last time, a list a statement.
ClickHouse rows end with the number of rows before the limit where the statement sets
exact_rows_before_limit.
"""

import json
import sys
import time


class DuckDB:
    def __init__(self, directory, threads):
        import duckdb

        self.version = "DuckDB " + duckdb.__version__
        self.db = duckdb.connect(":memory:", config={"threads": threads})

    def do(self, sql):
        self.db.execute(sql)

    def ask(self, statements):
        began = time.perf_counter()
        rows = [self.db.execute(sql).fetchall() for sql in statements]
        return time.perf_counter() - began, rows


class ClickHouse:
    def __init__(self, directory, threads):
        from chdb import session

        self.session = session.Session(directory)
        self.version = "ClickHouse " + json.loads(self.session.query("SELECT version()", "JSONCompact").bytes())["data"][0][0]
        self.do("SET max_threads = %d" % threads)

    def do(self, sql):
        self.session.query(sql)

    def ask(self, statements):
        results = [self.session.query(sql, "JSONCompact") for sql in statements]
        took, rows = 0.0, []
        for sql, result in zip(statements, results):
            took += result.elapsed()
            answer = json.loads(result.bytes())
            data = [[int(v) for v in row] for row in answer["data"]]
            if "exact_rows_before_limit" in sql:
                data = [row + [answer["rows_before_limit_at_least"]] for row in data]
            rows.append(data)
        return took, rows


def answer(engine, line):
    for sql in line.get("do", []):
        engine.do(sql)
    if "ask" not in line:
        return {}
    took = []
    for run in range(line["warm"] + line["runs"]):
        seconds, rows = engine.ask(line["ask"])
        took.append(seconds * 1000)
    return {"ms": took[line["warm"]:], "rows": [[[int(v) for v in row] for row in statement] for statement in rows]}


def main():
    name, directory, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    engine = {"duckdb": DuckDB, "clickhouse": ClickHouse}[name](directory, threads)
    print(json.dumps({"version": engine.version}), flush=True)
    for line in sys.stdin:
        try:
            out = answer(engine, json.loads(line))
        except Exception as e:
            out = {"error": "%s: %s" % (type(e).__name__, e)}
        print(json.dumps(out), flush=True)


main()
