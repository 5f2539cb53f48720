"""Runs SQL in DuckDB: the statements of a JSON list on standard input, one after the other.

The rows of the last one go to standard output, as a JSON list of lists of texts and nulls.
"""

import json
import sys

import duckdb

db = duckdb.connect(":memory:", config={"threads": 2})
db.execute("SET TimeZone = 'UTC'")
rows = []
for sql in json.load(sys.stdin):
    rows = db.execute(sql).fetchall()
json.dump([[None if cell is None else str(cell) for cell in row] for row in rows], sys.stdout)
