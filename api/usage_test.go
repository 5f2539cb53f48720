package api

import (
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// hourOf is the hour since 1970 that a moment lies in.
func hourOf(t time.Time) uint32 { return uint32(t.Unix() / 3600) }

// usageTarget is a question of the usage.
func usageTarget(pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return "/v1.1/account/usage?" + v.Encode()
}

// step is the hits of one step, by its name.
type step struct{ Name, Hits string }

// stepsOf are the steps of a series, whichever it is.
func stepsOf(h []wire.HourHits, d []wire.DayHits, m []wire.MonthHits) (out []step) {
	for _, s := range h {
		out = append(out, step{s.Hour, s.Hits})
	}
	for _, s := range d {
		out = append(out, step{s.Day, s.Hits})
	}
	for _, s := range m {
		out = append(out, step{s.Month, s.Hits})
	}
	return out
}

// askUsage is the one object of an answer.
func (h *fixture) askUsage(key string, pairs ...string) wire.Usage {
	h.t.Helper()
	w := h.do("GET", keyed(usageTarget(pairs...), key), "")
	out := answered[[]wire.Usage](h, w)
	if len(out) != 1 {
		h.t.Fatalf("%d objects", len(out))
	}
	u := out[0]
	equal(h.t, strings.Join([]string{u.StartDate, u.EndDate}, "/"), w.Header().Get("X-Range"), "X-Range")
	return u
}

// Any range of any interval counts as a naive walk over all hits does, steps without a hit
// included, for one application and for all.
func TestUsage_IsTheNaiveCount(t *testing.T) {
	h := newFixture(t)
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for id := range domain.ApplicationID(3) {
		for range 400 {
			h.engine.usage = append(h.engine.usage, domain.HourHits{
				Application: id + 1, Hour: hourOf(now) - rnd.Uint32N(9000), Hits: 1 + rnd.Uint64N(50),
			})
		}
	}
	layouts := map[string]string{"hour": time.DateTime, "day": time.DateOnly, "month": "2006-01"}
	most := map[string]time.Duration{"hour": 7 * 24 * time.Hour, "day": 90 * 24 * time.Hour, "month": 330 * 24 * time.Hour}
	for range 300 {
		interval := slices.Sorted(maps.Keys(layouts))[rnd.IntN(3)]
		length := 1 + time.Duration(rnd.Int64N(int64(most[interval]-48*time.Hour)))
		start := now.Add(-time.Duration(rnd.Int64N(int64(300 * 24 * time.Hour)))).Truncate(time.Second)
		end := start.Add(length).Truncate(time.Second).Add(time.Second)
		key, all := keyAdvanced, rnd.IntN(2) == 0
		pairs := []string{"interval", interval, "start_date", start.Format(time.DateTime), "end_date", end.Format(time.DateTime)}
		if all && rnd.IntN(2) == 0 {
			key = keyGlobal
		} else if all {
			pairs = append(pairs, "app_scope", "BusinessUnit")
		}
		u := h.askUsage(key, pairs...)
		layout := layouts[interval]
		want, sums := map[string]uint64{}, map[domain.ApplicationID]uint64{}
		from, _ := time.Parse(time.DateTime, u.StartDate)
		to, _ := time.Parse(time.DateTime, u.EndDate)
		if from.After(start) || to.Before(end) {
			t.Fatalf("seed %d: %v does not hold %s to %s", seed, u, start, end)
		}
		for t := from; t.Before(to); t = t.Add(time.Hour) {
			want[t.Format(layout)] += 0
		}
		total := uint64(0)
		for _, hit := range h.engine.usage {
			at := time.Unix(int64(hit.Hour)*3600, 0).UTC()
			if !at.Before(from) && at.Before(to) && (all || hit.Application == 2) {
				want[at.Format(layout)] += hit.Hits
				sums[hit.Application] += hit.Hits
				total += hit.Hits
			}
		}
		var steps []step
		for _, name := range slices.Sorted(maps.Keys(want)) {
			steps = append(steps, step{name, wire.Number(want[name])})
		}
		got := stepsOf(u.HitsTotal.PerHour, u.HitsTotal.PerDay, u.HitsTotal.PerMonth)
		if d := cmp.Diff(steps, got); d != "" || u.HitsTotal.TotalHitsForPeriod != total {
			t.Fatalf("seed %d, %v: %d hits, want %d\n%s", seed, pairs, u.HitsTotal.TotalHitsForPeriod, total, d)
		}
		applications := map[bool][]domain.ApplicationID{false: {2}, true: {1, 2, 3}}[all]
		if len(u.HitsPerApplication) != len(applications) {
			t.Fatalf("seed %d: %d applications", seed, len(u.HitsPerApplication))
		}
		for i, id := range applications {
			a, n := u.HitsPerApplication[i], uint64(0)
			own := stepsOf(a.PerHour, a.PerDay, a.PerMonth)
			for _, s := range own {
				hits, _ := strconv.ParseUint(s.Hits, 10, 64)
				n += hits
			}
			if a.TotalHitsForPeriod != sums[id] || n != sums[id] || len(own) != len(steps) {
				t.Fatalf("seed %d: application %d has %d hits, want %d", seed, id, n, sums[id])
			}
		}
	}
}

// A range is widened to whole steps and clamped to its greatest length and to the year before
// today, with a Warning.
func TestUsage_Range(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct{ interval, start, end, period, span, warning string }{
		{"hour", "2026-03-15 11:59:59", "2026-03-15 12:00:01", "", "2026-03-15 11:00:00/2026-03-15 13:00:00", ""},
		{"hour", "2026-03-15 11:00:00", "2026-03-15 12:00:00", "", "2026-03-15 11:00:00/2026-03-15 12:00:00", ""},
		{"hour", "2026-03-15 00:00:00", "", "5 hours", "2026-03-15 00:00:00/2026-03-15 05:00:00", ""},
		{"hour", "2026-03-01 00:00:00", "2026-03-08 00:00:00", "", "2026-03-01 00:00:00/2026-03-08 00:00:00", ""},
		{"hour", "2026-03-01 00:00:00", "2026-03-08 00:00:01", "", "2026-03-01 01:00:00/2026-03-08 01:00:00", "at most 7 days"},
		{"day", "2026-03-01 10:00:00", "", "2 DAY", "2026-03-01 00:00:00/2026-03-04 00:00:00", ""},
		{"day", "2026-01-01 00:00:00", "2026-04-02 00:00:00", "", "2026-01-02 00:00:00/2026-04-02 00:00:00", "at most 90 days"},
		{"month", "2026-01-31 10:00:00", "", "1 month", "2026-01-01 00:00:00/2026-03-01 00:00:00", ""},
		{"month", "2025-03-15 00:00:00", "2026-03-15 00:00:01", "", "2025-04-01 00:00:00/2026-04-01 00:00:00", "at most 12 months"},
		{"day", "2025-03-10 00:00:00", "2025-03-17 00:00:00", "", "2025-03-15 00:00:00/2025-03-17 00:00:00", "known since 2025-03-15"},
		{"hour", "2024-03-10 00:00:00", "2024-03-10 01:00:00", "", "2025-03-15 00:00:00/2025-03-15 01:00:00", "known since 2025-03-15"},
		{"month", "2025-03-20 00:00:00", "2025-03-21 00:00:00", "", "2025-03-01 00:00:00/2025-04-01 00:00:00", ""},
		{"day", "2026-03-01 00:00:00", "2026-03-02 00:00:00", "5 month", "2026-03-01 00:00:00/2026-03-02 00:00:00", "period was ignored"},
		{"month", "2026-01-01 00:00:00", "9999-12-31 23:59:59", "", "9998-12-01 00:00:00/9999-12-01 00:00:00", "at most 12 months"},
		{"hour", "0001-01-01 00:00:00", "", "9999 month", "2025-03-15 00:00:00/2025-03-15 01:00:00", "known since"},
	} {
		pairs := []string{"interval", c.interval, "start_date", c.start}
		if c.end != "" {
			pairs = append(pairs, "end_date", c.end)
		}
		if c.period != "" {
			pairs = append(pairs, "period", c.period)
		}
		w := h.get(usageTarget(pairs...))
		h.status(w, 200, pairs)
		warnings := strings.Join(w.Header().Values("Warning"), " ")
		if got := w.Header().Get("X-Range"); got != c.span || !strings.Contains(warnings, c.warning) || (c.warning == "") != (warnings == "") {
			t.Errorf("%v: %s, Warning %q", pairs, got, warnings)
		}
	}
}

// Parameters that are missing or malformed have the contract's codes.
func TestUsage_Refuses(t *testing.T) {
	h := newFixture(t)
	const start, end = "2026-03-01 00:00:00", "2026-03-02 00:00:00"
	for want, pairs := range map[string][]string{
		"3 interval":        {"start_date", start, "end_date", end},
		"3 start_date":      {"interval", "day", "end_date", end},
		"3 end_date":        {"interval", "day", "start_date", start},
		"4 interval":        {"interval", "week", "start_date", start, "end_date", end},
		"4 app_scope":       {"interval", "day", "start_date", start, "end_date", end, "app_scope", "all"},
		"4 start_date":      {"interval", "day", "start_date", end, "end_date", start},
		"4 start_date ":     {"interval", "day", "start_date", start, "end_date", start},
		"4 start_date  ":    {"interval", "day", "start_date", "9999-12-31 00:00:00", "period", "1 month"},
		"4 start_date   ":   {"interval", "day", "start_date", "yesterday", "end_date", end},
		"4 period":          {"interval", "day", "start_date", start, "period", "1 week"},
		"4 period ":         {"interval", "day", "start_date", start, "period", "1 year"},
		"4 period  ":        {"interval", "day", "start_date", start, "period", "0 day"},
		"4 period   ":       {"interval", "day", "start_date", start, "period", "day"},
		"4 end_date":        {"interval", "day", "start_date", start, "end_date", "later"},
		"15 (a public key)": {"interval", "day", "start_date", start, "end_date", end},
	} {
		code, parameter, _ := strings.Cut(strings.TrimSpace(want), " ")
		n, _ := strconv.Atoi(code)
		key := keyAdvanced
		if n == int(domain.WrongApplication) {
			key, parameter = keyPublic, ""
		}
		h.refused(h.do("GET", keyed(usageTarget(pairs...), key), ""), domain.Code(n), parameter)
	}
	h.engine.usageFails = domain.ErrUnavailable
	h.refused(h.get(usageTarget("interval", "day", "start_date", start, "end_date", end)), domain.Unavailable, "")
}

// Only the account's own applications are asked about; the answer has the position of the shards
// that were read, and a poll is 304 while the hits are the same.
func TestUsage_AccountPositionAndPoll(t *testing.T) {
	h := newFixture(t)
	target := usageTarget("interval", "day", "start_date", "2026-03-01 00:00:00", "period", "1 day", "app_scope", "businessunit")
	for key, want := range map[string][]domain.ApplicationID{keyStandard: {1, 2, 3}, keyGlobal: {1, 2, 3}, keyStranger: {9}} {
		h.engine.usageAsked = nil
		h.status(h.do("GET", keyed(target, key), ""), 200, key)
		equal(t, want, h.engine.usageAsked[0].Applications, key)
	}
	w := h.get(target)
	p, err := wire.DecodePosition(w.Header().Get("X-Position"))
	if err != nil || p.Next(2) != 77 {
		t.Errorf("position %+v, %v", p, err)
	}
	tag := w.Header().Get("Etag")
	h.status(h.get(target, "If-None-Match", tag), 304)
	h.engine.usage = []domain.HourHits{{Application: 2, Hour: hourOf(time.Date(2026, 3, 1, 5, 0, 0, 0, time.UTC)), Hits: 1}}
	h.status(h.get(target, "If-None-Match", tag), 200, "after a hit")
}
