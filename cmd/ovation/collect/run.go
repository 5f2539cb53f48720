package collect

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/runs"
)

// continued takes up a run that was interrupted. One that was taken back meanwhile stays as it is.
func (c *collector) continued(r *runs.Run) error {
	if r == nil || !r.Ended.IsZero() {
		return nil
	}
	if kept, err := c.State.Runs().Get(r.ID); err != nil && !errors.Is(err, runs.ErrNone) {
		return err
	} else if err == nil && (kept.Undo != nil || !kept.Ended.IsZero()) {
		return nil
	}
	c.run, c.before = r, r.Counts
	return c.openIDs()
}

// begin begins a run with the first rows.
func (c *collector) begin(ch *chunk) (err error) {
	if c.ids != nil || ch.rows == 0 && len(ch.items) == 0 {
		return nil
	}
	if c.State == nil {
		c.ids, err = runs.TemporaryIDs()
		return err
	}
	if c.run, err = c.interrupted(); err != nil {
		return err
	}
	if c.run == nil {
		c.run = runs.New(c.source.Name(), c.Log.Topic(), c.Account, c.Now())
	}
	if err := c.State.Runs().Save(c.run); err != nil {
		return err
	}
	return c.openIDs()
}

// openIDs opens the ids of the run's actions up to the position: those after it may have other lines by now. Equal
// ones are counted when the run ends.
func (c *collector) openIDs() (err error) {
	if c.ids, err = c.State.Runs().IDs(c.run.ID); err != nil {
		return fmt.Errorf("the ids of the run: %w", err)
	}
	c.before.Repeats, c.before.FirstRepeats, c.before.Differing, c.before.FirstDiffer = 0, nil, 0, nil
	return c.ids.Back(c.run.Met)
}

// interrupted is a run of the source that ended before a position named it: its rows are those that are read now, and
// it counts them again. Where all rows are published again, those that were interrupted have ended.
func (c *collector) interrupted() (found *runs.Run, err error) {
	list, err := c.State.Runs().List()
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.Source != c.source.Name() || r.Topic != c.Log.Topic() || r.Account != c.Account || !r.Ended.IsZero() || r.Undo != nil {
			continue
		}
		if c.FromStart {
			r.Ended = c.Now().UTC()
			if err := c.State.Runs().Save(r); err != nil {
				return nil, err
			}
			continue
		}
		found = r
	}
	if found != nil {
		found.Counts, found.Met = runs.Counts{}, 0
	}
	return found, nil
}

// mark gives an action a marker of the run, unless the mapping gave it one.
func (c *collector) mark(it *item) (given bool) {
	given = it.action.Marker != ""
	if c.run != nil && !given {
		it.action.Marker = c.run.Marker(it.row.line, it.of)
	}
	return given
}

// note notes an action as one of the run, by its id, and by its marker where the mapping gave it.
func (c *collector) note(it *item, given bool) {
	a := &it.action
	c.ids.Met(a.Member.Key(), a.ID, c.contents(a, given), it.row.line, it.of)
	if c.run == nil {
		return
	}
	c.run.At(a.Time)
	if given {
		c.run.Given = true
		c.ids.Note(runs.Shown{Marker: a.Marker, Time: a.Time, Activity: a.Activity.ID, Brand: a.Brand.ID})
	}
}

// contents are an action's fields but its member and its id. A marker that the run made is left out: it has the line.
// Brands and definitions are there by name: a dry run makes none, so it has no ids of them.
func (c *collector) contents(a *input.Action, given bool) []byte {
	s := c.buffer[:0]
	s = binary.BigEndian.AppendUint32(s, uint32(a.Time))
	text := func(t string) {
		s = binary.BigEndian.AppendUint32(s, uint32(len(t)))
		s = append(s, t...)
	}
	for _, of := range []*input.EntityRef{&a.Activity, &a.Brand} {
		s = binary.BigEndian.AppendUint32(s, of.ID)
		text(of.Name)
	}
	for _, t := range []string{string(a.Content), a.Link, a.Media, a.Geo.Country, a.Geo.Region, a.Geo.City, a.Geo.Lat, a.Geo.Lon} {
		text(t)
	}
	if given {
		text(a.Marker)
	}
	c.buffer = s
	return s
}

// soFar is the run as it is now; nil: there is none.
func (c *collector) soFar() *runs.Run {
	if c.run == nil {
		return nil
	}
	r := *c.run
	r.Counts = c.before
	r.Counts.Add(&c.totals.Counts)
	if c.ids != nil {
		r.Met = c.ids.Len()
	}
	return &r
}

// end counts the repeats of a run that came to its end, and saves what was done. Ids that are not needed any more are
// removed: the actions of such a run are found by their markers.
func (c *collector) end(whole bool) (err error) {
	if c.ids != nil && whole {
		if err = c.ids.Repeats(c.totals.Repeat); err != nil {
			err = fmt.Errorf("the ids of the run: %w", err)
			whole = false
		}
	}
	if c.run != nil && whole {
		c.run.Ended = c.Now().UTC()
		if c.last.Run != nil && c.last.Run.ID == c.run.ID {
			c.last.Run = c.soFar()
		}
	}
	err = errors.Join(err, c.save(true))
	switch {
	case c.ids == nil:
		return err
	case c.run == nil:
		return errors.Join(err, c.ids.Discard())
	case whole && err == nil && !c.run.Given:
		return c.ids.Discard()
	}
	return errors.Join(err, c.ids.Close())
}
