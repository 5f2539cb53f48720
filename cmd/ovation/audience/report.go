package audience

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// String is the portrait as a page of text.
func (p *Portrait) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%d members, %d actions; %d members did nothing\n", p.Members, p.Actions, p.Silent)
	p.hours(&w)
	p.shares(&w)
	p.tail(&w)
	fmt.Fprintf(&w, "\nOnce in a life: %d actions, %s; %d of them are repeated\n",
		p.OneTime, percent(p.OneTime, p.Actions), p.Repeats)
	fmt.Fprintf(&w, "Opted in: %s to all, %s to a brand, %s to a segment\n",
		percent(p.OptedIn[0], p.Members), percent(p.OptedIn[1], p.Members), percent(p.OptedIn[2], p.Members))
	fmt.Fprintf(&w, "With an email %s, with several accounts %s, paying %s\n",
		percent(p.Emails, p.Members), percent(p.ManyAccount, p.Members), percent(p.Paid, p.Members))
	if len(p.Bursts) > 0 {
		fmt.Fprintf(&w, "\nReleases: actions for the artist in the week before and in the one after\n")
		for _, b := range p.Bursts {
			fmt.Fprintf(&w, "  %s  %-24s %-26s %6d %6d  x%.1f\n",
				b.Date.Format(time.DateOnly), b.Brand, b.Title, b.Before, b.After, float64(b.After)/float64(max(b.Before, 1)))
		}
	}
	return w.String()
}

func (p *Portrait) hours(w *strings.Builder) {
	fmt.Fprintf(w, "\nActions by hour     local                                  UTC\n")
	largest := max(slices.Max(p.LocalHours[:]), slices.Max(p.UTCHours[:]))
	for h := range 24 {
		fmt.Fprintf(w, "  %02d  %6s %-30s %6s %s\n",
			h, percent(p.LocalHours[h], p.Actions), bar(p.LocalHours[h], largest, 28),
			percent(p.UTCHours[h], p.Actions), bar(p.UTCHours[h], largest, 28))
	}
	fmt.Fprintf(w, "\nActions by local weekday\n")
	for d, n := range p.Weekdays {
		fmt.Fprintf(w, "  %s %6s %s\n",
			time.Weekday((d + 1) % 7).String()[:3], percent(n, p.Actions), bar(n, slices.Max(p.Weekdays[:]), 28))
	}
	fmt.Fprintf(w, "\nActions by four weeks\n ")
	for _, n := range p.Months {
		fmt.Fprintf(w, " %s", percent(n, p.Actions))
	}
	fmt.Fprintln(w)
}

func (p *Portrait) shares(w *strings.Builder) {
	p.list(w, "Countries", p.Countries, 15)
	rest := p.Countries[min(15, len(p.Countries)):]
	if len(rest) > 0 {
		fmt.Fprintf(w, "  and %d more, down to", len(rest))
		for _, s := range rest[max(0, len(rest)-4):] {
			fmt.Fprintf(w, " %s %d", s.Name, s.Members)
		}
		fmt.Fprintln(w, " members")
	}
	p.list(w, "Registered by", p.Registered, 20)
	p.list(w, "Ages", p.Ages, 20)
	p.list(w, "Genders", p.Genders, 20)
	fmt.Fprintf(w, "\nActions by service\n")
	for _, s := range p.Services {
		fmt.Fprintf(w, "  %-36s %8d  %6s\n", s.Name, s.Actions, percent(s.Actions, p.Actions))
	}
	for _, l := range []struct {
		name string
		of   []Share
		max  int
	}{{"Activities", p.Definitions, 30}, {"Top artists", p.Brands, 12}} {
		fmt.Fprintf(w, "\n%-38s  actions          members\n", l.name)
		top := slices.Clone(l.of)
		slices.SortStableFunc(top, func(x, y Share) int { return cmp.Compare(y.Actions, x.Actions) })
		for _, s := range top[:min(l.max, len(top))] {
			fmt.Fprintf(w, "  %-36s %8d  %6s %8d\n", s.Name, s.Actions, percent(s.Actions, p.Actions), s.Members)
		}
		if n := len(top); n > l.max {
			fmt.Fprintf(w, "  ... the last of %d: %s, %d actions\n", n, top[n-1].Name, top[n-1].Actions)
		}
	}
}

// list shows members and actions of some kinds.
func (p *Portrait) list(w *strings.Builder, title string, of []Share, maxShares int) {
	fmt.Fprintf(w, "\n%-14s members          actions\n", title)
	for _, s := range of[:min(maxShares, len(of))] {
		fmt.Fprintf(w, "  %-12s %6d  %6s  %7d  %6s\n",
			s.Name, s.Members, percent(s.Members, p.Members), s.Actions, percent(s.Actions, p.Actions))
	}
}

func (p *Portrait) tail(w *strings.Builder) {
	fmt.Fprintf(w, "\nActions by tenths of the members, the keenest first (the first hundredth: %s)\n",
		percent(p.Top, p.Actions))
	for i, n := range p.Deciles {
		fmt.Fprintf(w, "  %2d  %6s %s\n", i+1, percent(n, p.Actions), bar(n, p.Deciles[0], 40))
	}
}

func percent(n, of int) string {
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(max(of, 1)))
}

func bar(n, largest, width int) string { return strings.Repeat("#", n*width/max(largest, 1)) }
