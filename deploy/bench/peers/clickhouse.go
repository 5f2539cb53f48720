package peers

import (
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// clickHouseLoad fills ClickHouse's table, and merges it into one part.
func clickHouseLoad(csv string) []string {
	var types []string
	for i, t := range []string{
		"UInt32", "UInt32", "UInt32", "UInt16", "UInt8", "UInt16", "UInt16", "UInt8", "UInt64",
		"String",
	} {
		types = append(types, columns[i]+" "+t)
	}
	all := strings.Join(types, ", ")
	return []string{
		"CREATE DATABASE peers ENGINE = Atomic", "USE peers",
		"CREATE TABLE rows (" + all + ") ENGINE = MergeTree ORDER BY (brand, time)",
		"INSERT INTO rows SELECT * FROM file('" + csv + "', 'CSV', '" + all + "')",
		"OPTIMIZE TABLE rows FINAL",
	}
}

// ClickHouse is how ClickHouse is asked.
func ClickHouse(c *Scene, q *Question) []Form {
	var forms []Form
	for _, distinct := range []string{"uniqExact(member)", "groupBitmap(member)"} {
		forms = append(forms, clickHouse(c, q, distinct)...)
	}
	switch {
	case q.Shape == domain.ShapeLeaders, q.Shape == domain.ShapeFeed && q.Every:
		forms = forms[:len(forms)/2] // they count no members apart
	}
	return forms
}

// inOnePass makes a statement tell how many rows there are before its limit.
const inOnePass = " SETTINGS exact_rows_before_limit = 1"

func clickHouse(c *Scene, q *Question, distinct string) []Form {
	from := q.where(c, "positionCaseInsensitive(text, '%s') > 0")
	switch q.Shape {
	case domain.ShapeTally:
		return []Form{
			{[]string{"SELECT definition, count(), " + distinct + from + " GROUP BY definition WITH ROLLUP"}, asTally},
			{
				[]string{"SELECT definition, count(), " + distinct + from + " GROUP BY GROUPING SETS ((definition), ())"},
				asTally,
			},
		}
	case domain.ShapeTimeline:
		return []Form{
			{[]string{"SELECT service, intDiv(time, 86400) AS day, count(), " + distinct + from + " GROUP BY GROUPING SETS ((service, day), (service))"}, asRows},
			{[]string{"SELECT * FROM (SELECT service, intDiv(time, 86400) AS day, count(), " + distinct + from + " GROUP BY ROLLUP(service, day)) WHERE service > 0"}, asRows},
		}
	case domain.ShapeLocation:
		return []Form{{[]string{"SELECT country, count(), " + distinct + from + " GROUP BY country"}, asRows}}
	case domain.ShapeLeaders:
		return []Form{{[]string{
			"SELECT member, sum(points) AS score, count(), max(time)" + from + " GROUP BY member ORDER BY score DESC, member" + firstRows + inOnePass,
		}, asList(4)}}
	case domain.ShapeCrossover:
		members := ""
		if q.Brand != Everywhere {
			members = " AND member IN (SELECT member" + from + ")"
		}
		return []Form{{[]string{
			"SELECT brand, " + distinct + " AS n" + q.inRange(c) + members + " GROUP BY brand ORDER BY n DESC, brand" + firstRows + inOnePass,
		}, asList(2)}}
	}
	page, order := "SELECT time, member, definition, id"+from, " ORDER BY time DESC, id DESC"
	if q.Every {
		return []Form{
			{[]string{"SELECT count()" + from, page + order + firstRows}, asPage},
			{[]string{page + order + firstRows + inOnePass}, asList(4)},
		}
	}
	return []Form{
		{[]string{"SELECT " + distinct + from, page + order + " LIMIT 1 BY member" + firstRows}, asPage},
		{[]string{
			"SELECT max((time, id, definition)).1 AS at, member, max((time, id, definition)).3, max((time, id, definition)).2 AS action" + from +
				" GROUP BY member ORDER BY at DESC, action DESC" + firstRows + inOnePass,
		}, asList(4)},
	}
}
