package peers

import (
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// duckDBLoad fills DuckDB's table.
func duckDBLoad(csv string) []string {
	var types []string
	for i, t := range []string{
		"UINTEGER", "UINTEGER", "UINTEGER", "USMALLINT", "UTINYINT", "USMALLINT", "USMALLINT",
		"UTINYINT", "UBIGINT", "VARCHAR",
	} {
		types = append(types, "'"+columns[i]+"': '"+t+"'")
	}
	return []string{
		"CREATE TABLE rows AS SELECT * FROM read_csv('" + csv + "', header = false, auto_detect = false, delim = ',', columns = {" +
			strings.Join(types, ", ") + "}) ORDER BY brand, time",
	}
}

// DuckDB is how DuckDB is asked.
func DuckDB(c *Scene, q *Question) []Form {
	from := q.where(c, "contains(lower(text), '%s')")
	switch q.Shape {
	case domain.ShapeTally:
		return []Form{
			{[]string{"SELECT coalesce(definition, 0), count(*), count(DISTINCT member)" + from + " GROUP BY GROUPING SETS ((definition), ())"}, asTally},
			{[]string{
				"WITH pairs AS MATERIALIZED (SELECT definition, member, count(*) AS n" + from + " GROUP BY ALL)" +
					" SELECT definition, sum(n), count(*) FROM pairs GROUP BY definition" +
					" UNION ALL SELECT 0, coalesce(sum(n), 0), count(DISTINCT member) FROM pairs",
			}, asTally},
		}
	case domain.ShapeTimeline:
		return []Form{
			{[]string{"SELECT service, coalesce(time // 86400, 0), count(*), count(DISTINCT member)" + from + " GROUP BY GROUPING SETS ((service, time // 86400), (service))"}, asRows},
			{[]string{
				"WITH pairs AS MATERIALIZED (SELECT service, time // 86400 AS day, member, count(*) AS n" + from + " GROUP BY ALL)" +
					" SELECT service, day, sum(n), count(*) FROM pairs GROUP BY service, day" +
					" UNION ALL SELECT service, 0, sum(n), count(DISTINCT member) FROM pairs GROUP BY service",
			}, asRows},
		}
	case domain.ShapeLocation:
		return []Form{
			{[]string{"SELECT country, count(*), count(DISTINCT member)" + from + " GROUP BY country"}, asRows},
			{[]string{"SELECT country, sum(n), count(*) FROM (SELECT country, member, count(*) AS n" + from + " GROUP BY ALL) GROUP BY country"}, asRows},
		}
	case domain.ShapeLeaders:
		return duckDBLeaders(from)
	case domain.ShapeCrossover:
		return duckDBCrossover(c, q, from)
	}
	return duckDBFeed(q, from)
}

func duckDBLeaders(from string) []Form {
	one := "SELECT member, sum(points) AS score, count(*), max(time)"
	order := " ORDER BY score DESC, member" + firstRows
	return []Form{
		{[]string{one + ", count(*) OVER ()" + from + " GROUP BY member" + order}, asList(4)},
		{[]string{"SELECT count(DISTINCT member)" + from, one + from + " GROUP BY member" + order}, asPage},
		{[]string{
			"WITH all_of_them AS MATERIALIZED (" + one + from + " GROUP BY member)" +
				" SELECT *, (SELECT count(*) FROM all_of_them) FROM all_of_them" + order,
		}, asList(4)},
	}
}

func duckDBCrossover(c *Scene, q *Question, from string) []Form {
	members := ""
	if q.Brand != Everywhere {
		members = " AND member IN (SELECT member" + from + ")"
	}
	order := " GROUP BY brand ORDER BY n DESC, brand" + firstRows
	return []Form{
		{
			[]string{"SELECT brand, count(DISTINCT member) AS n, count(*) OVER ()" + q.inRange(c) + members + order},
			asList(2),
		},
		{[]string{"SELECT brand, count(*) AS n, count(*) OVER () FROM (SELECT DISTINCT brand, member" + q.inRange(c) + members + ")" + order}, asList(2)},
	}
}

func duckDBFeed(q *Question, from string) []Form {
	page, count := "SELECT time, member, definition, id"+from, "SELECT count(*)"+from
	order := " ORDER BY time DESC, id DESC"
	if q.Every {
		forms := []Form{{[]string{count, page + order + firstRows}, asPage}}
		if q.Keyword != "" {
			forms = append(forms, Form{[]string{
				"WITH found AS MATERIALIZED (" + page + ") SELECT *, (SELECT count(*) FROM found) FROM found" + order + firstRows,
			}, asList(4)})
		}
		return forms
	}
	return []Form{
		{[]string{
			"SELECT count(DISTINCT member)" + from,
			page + " QUALIFY row_number() OVER (PARTITION BY member ORDER BY time DESC, id DESC) = 1" + order + firstRows,
		}, asPage},
		{[]string{
			"WITH latest AS MATERIALIZED (SELECT max((time::UHUGEINT << 80) | (id::UHUGEINT << 16) | definition) AS k, member" + from + " GROUP BY member)" +
				" SELECT (k >> 80)::UINTEGER AS time, member, (k & 65535)::USMALLINT, ((k >> 16) & 18446744073709551615)::UBIGINT AS id, (SELECT count(*) FROM latest) FROM latest" +
				order + firstRows,
		}, asList(4)},
	}
}
