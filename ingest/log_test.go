package ingest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// ticks are n different records.
func ticks(from, n int) []domain.Record {
	r := make([]domain.Record, n)
	for i := range r {
		r[i] = domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: uint32(from + i)}}
	}
	return r
}

// drain reads a partition from its start to its end.
func (w *harness) drain(r *Reader) (records []domain.Record, pages int) {
	w.Helper()
	next, epoch := int64(0), kafka.NoEpoch
	for {
		p, err := r.Read(w.ctx, next, epoch, nil)
		if kafka.Retriable(err) {
			continue
		}
		w.must(err)
		records = append(records, p.Records...)
		pages++
		if next, epoch = p.Next, p.Epoch; next >= p.End {
			return records, pages
		}
	}
}

// anyRecord is an activity or a command.
func anyRecord(r *rand.Rand) domain.Record {
	account := domain.AccountID(r.Uint32())
	switch r.IntN(3) {
	case 0:
		return domain.Record{Kind: domain.KindTick, Account: account, Command: &domain.Tick{Hour: r.Uint32()}}
	case 1:
		c := &domain.RegisterMember{Domain: strings.Repeat("u", r.IntN(300)), At: r.Int64()}
		return domain.Record{Kind: domain.KindRegister, Account: account, Command: c, BodyHash: r.Uint64()}
	}
	a := domain.Activity{Member: domain.MemberID(r.Uint64()), Time: r.Int64(), Content: domain.Content{Content: strings.Repeat("x", r.IntN(3000))}}
	return domain.Record{Kind: domain.KindActivity, Account: account, Activity: a}
}

func TestLog_ReadsWhatWasAppended(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	if l.Partitions() != 2 || l.Topic().IsZero() || l.Cluster() == "" {
		t.Fatalf("%d partitions, topic %s, cluster %q", l.Partitions(), l.Topic(), l.Cluster())
	}
	r := rand.New(rand.NewPCG(4, 1))
	var want [2][]domain.Record
	appenders := []*Appender{l.Appender(), l.Appender()}
	for i := range 40 {
		var batch []domain.Record
		for range r.IntN(12) {
			batch = append(batch, anyRecord(r))
		}
		p := r.IntN(2)
		base, err := appenders[i%2].Append(w.ctx, p, batch)
		w.must(err)
		if base != int64(len(want[p])) {
			t.Fatalf("batch %d of %d records at %d, want %d", i, len(batch), base, len(want[p]))
		}
		want[p] = append(want[p], batch...)
	}
	for p := range want {
		got, _ := w.drain(l.Reader(p))
		for i := range want[p] {
			want[p][i].Offset = int64(i)
		}
		if diff := cmp.Diff(want[p], got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(domain.Record{}, "Time")); diff != "" {
			t.Fatalf("partition %d: (-want +got)\n%s", p, diff)
		}
		if slices.ContainsFunc(got, func(r domain.Record) bool { return r.Time <= 0 }) {
			t.Error("a record without the log's time")
		}
		end, err := l.End(w.ctx, p)
		if w.must(err); end != int64(len(got)) {
			t.Errorf("end %d, want %d", end, len(got))
		}
	}
}

func TestReader_PagesAreBoundedAndReadFromAnywhere(t *testing.T) {
	const n, seed = 3*pageRecords + 17, 9
	w := given(t, "journal")
	l := w.log("journal")
	_, err := l.Appender().Append(w.ctx, 0, ticks(0, n))
	w.must(err)
	reader := l.Reader(0)
	all, pages := w.drain(reader)
	if len(all) != n || pages < 4 {
		t.Fatalf("%d records in %d pages", len(all), pages)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	next, epoch := int64(0), kafka.NoEpoch
	for i := range 60 {
		if r.IntN(3) == 0 {
			next, epoch = r.Int64N(n), kafka.NoEpoch
		}
		p, err := reader.Read(w.ctx, next, epoch, nil)
		w.must(err)
		if len(p.Records) > pageRecords || p.Next != next+int64(len(p.Records)) || p.End != n {
			t.Fatalf("seed %d, read %d: %d records at %d, next %d, end %d", seed, i, len(p.Records), next, p.Next, p.End)
		}
		for j, rec := range p.Records {
			if want := next + int64(j); rec.Offset != want || rec.Command.(*domain.Tick).Hour != uint32(want) {
				t.Fatalf("seed %d, read %d: %+v at %d", seed, i, rec, want)
			}
		}
		if k := len(p.Records); k > 0 && p.Records[k-1].Epoch != p.Epoch {
			t.Fatalf("seed %d, read %d: the last record's epoch is %d, the page's %d", seed, i, p.Records[k-1].Epoch, p.Epoch)
		}
		if next, epoch = p.Next, p.Epoch; next == n {
			next, epoch = 0, kafka.NoEpoch
		}
	}
}

func TestAppender_LargeAppendTakesSeveralBatches(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	big := make([]domain.Record, 60)
	for i := range big {
		big[i] = domain.Record{Kind: domain.KindActivity, Account: domain.AccountID(i + 1), Activity: domain.Activity{
			Content: domain.Content{Content: strings.Repeat("x", 100<<10)},
		}}
	}
	base, err := l.Appender().Append(w.ctx, 1, big)
	w.must(err)
	got, _ := w.drain(l.Reader(1))
	if len(got) != len(big) || base != 0 {
		t.Fatalf("%d records, base %d", len(got), base)
	}
	for i := range got {
		if got[i].Account != big[i].Account || len(got[i].Activity.Content.Content) != 100<<10 {
			t.Fatalf("record %d is another", i)
		}
	}
}

func TestAppender_ContinuesInANewSession(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	a := l.Appender()
	w.refuse(kerr.LeaderNotAvailable, kerr.OutOfOrderSequenceNumber, kerr.OutOfOrderSequenceNumber, kerr.OutOfOrderSequenceNumber)
	base, err := a.Append(w.ctx, 0, ticks(0, 3))
	w.must(err)
	got, _ := w.drain(l.Reader(0))
	if base != 0 || len(got) != 3 {
		t.Errorf("base %d, %d records", base, len(got))
	}
}

// Where the broker has forgotten the place of a repeated batch, base is above it at
// most: a caller that waits for base+i has waited for the record.
func TestAppender_ForgottenPlaceIsBoundedByTheEnd(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	a := l.Appender()
	_, err := a.Append(w.ctx, 0, ticks(0, 5))
	w.must(err)
	w.refuse(kerr.DuplicateSequenceNumber)
	base, err := a.Append(w.ctx, 0, ticks(5, 2))
	if w.must(err); base != 3 {
		t.Errorf("base %d, want the log's end less the records", base)
	}
	w.refuse(kerr.DuplicateSequenceNumber)
	base = -1
	a.AppendEach(w.ctx, [][]domain.Record{ticks(7, 1), nil}, func(_ int, at int64) { base = at })
	if base != 4 {
		t.Errorf("with others: base %d, want the log's end less the records", base)
	}
}

func TestAppender_RefusesUnknownPartitions(t *testing.T) {
	w := given(t, "journal")
	a := w.log("journal").Appender()
	for _, p := range []int{-1, 2} {
		if _, err := a.Append(w.ctx, p, ticks(0, 1)); err == nil {
			t.Errorf("partition %d is taken", p)
		}
	}
	if base, err := a.Append(w.ctx, 0, nil); base != 0 || err != nil {
		t.Errorf("nothing appended: %d, %v", base, err)
	}
	huge := domain.Record{Kind: domain.KindActivity, Activity: domain.Activity{Raw: random16MiB()}}
	if _, err := a.Append(w.ctx, 0, []domain.Record{huge}); err == nil {
		t.Error("a record that fits nowhere is taken")
	}
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	if _, err := a.Append(ctx, 0, ticks(0, 1)); err == nil {
		t.Error("appended after the end of the context")
	}
}

func random16MiB() string {
	b := make([]byte, 16<<20)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return string(b)
}

func TestReader_UnreadableRecordIsAGapBehindTheOthers(t *testing.T) {
	activity := codec.AppendRecord(nil, &domain.Record{Kind: domain.KindActivity, Activity: domain.Activity{Raw: strings.Repeat("r", 100)}})
	versioned := func(v byte) []byte {
		b := slices.Clone(activity)
		b[len("\xf7OVR")+1] = v // after the field's number
		return b
	}
	for name, c := range map[string]struct {
		value []byte
		want  error
	}{
		"newer":     {versioned(codec.RecordVersion + 1), domain.ErrNewer},
		"older":     {versioned(codec.RecordVersion - 1), domain.ErrOlder},
		"truncated": {activity[:40], codec.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			w := given(t, "journal")
			l := w.log("journal")
			a := l.Appender()
			_, err := a.Append(w.ctx, 0, ticks(0, 3))
			w.must(err)
			w.send("journal", 0, kafka.Message{Value: c.value})
			_, err = a.Append(w.ctx, 0, ticks(3, 2))
			w.must(err)
			r := l.Reader(0)
			p, err := r.Read(w.ctx, 0, kafka.NoEpoch, nil)
			w.must(err)
			if len(p.Records) != 3 || p.Next != 3 || p.Epoch == kafka.NoEpoch {
				t.Fatalf("%d records, next %d, epoch %d", len(p.Records), p.Next, p.Epoch)
			}
			for range 2 {
				_, err = r.Read(w.ctx, p.Next, p.Epoch, nil)
				var gap *domain.GapError
				kind := domain.GapCorrupt
				switch c.want {
				case domain.ErrNewer:
					kind = domain.GapNewer
				case domain.ErrOlder:
					kind = domain.GapOlder
				}
				if !errors.As(err, &gap) || gap.Kind != kind || gap.Want != 3 || gap.Partition != 0 || gap.TopicID != l.Topic() {
					t.Fatalf("%v", err)
				}
				if !errors.Is(err, c.want) || gap.Detail == "" {
					t.Errorf("%v, want %v", err, c.want)
				}
			}
			if p, err = r.Read(w.ctx, 4, kafka.NoEpoch, nil); err != nil || len(p.Records) != 2 {
				t.Errorf("behind it: %d records, %v", len(p.Records), err)
			}
		})
	}
}

func TestReader_RecreatedLogIsAGap(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	_, err := l.Appender().Append(w.ctx, 0, ticks(0, 3))
	w.must(err)
	w.recreate("journal")
	r := l.Reader(0)
	var gap *domain.GapError
	for {
		if _, err := r.Read(w.ctx, 3, 0, nil); errors.As(err, &gap) {
			break
		} else if w.ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	if gap.Kind != domain.GapRecreated || gap.TopicID == l.Topic() {
		t.Errorf("%v, topic %s", gap, gap.TopicID)
	}
}

func TestReader_UnknownPartitionIsAnError(t *testing.T) {
	w := given(t, "journal", "activities")
	if _, err := w.log("journal").Reader(-1).Read(w.ctx, 0, 0, nil); err == nil {
		t.Error("a log's partition -1 is read")
	}
	if _, err := w.source("activities").Reader(-1).Read(w.ctx, 0, 0, nil); err == nil {
		t.Error("a source's partition -1 is read")
	}
}

// AppendEach continues at the offset where Append ended, and Append where AppendEach
// ended, in any order of the two.
func TestAppender_AppendEach(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	a, want := l.Appender(), [2][]domain.Record{}
	told := 0
	for round := range 6 {
		batches := [][]domain.Record{ticks(10*round, round%3), ticks(10*round, 1)}
		left := slices.Clone(batches)
		a.AppendEach(w.ctx, batches, func(p int, base int64) {
			if told++; base != int64(len(want[p])) {
				t.Errorf("round %d, partition %d: at %d, want %d", round, p, base, len(want[p]))
			}
			left[p] = nil
		})
		for p, batch := range left {
			if len(batch) > 0 {
				base, err := a.Append(w.ctx, p, batch)
				if w.must(err); base != int64(len(want[p])) {
					t.Errorf("round %d, partition %d: alone at %d, want %d", round, p, base, len(want[p]))
				}
			}
			want[p] = append(want[p], batches[p]...)
		}
	}
	if told != 8 { // of ten batches the first of each partition opens its session
		t.Errorf("%d batches were appended with others", told)
	}
	for p := range want {
		got, _ := w.drain(l.Reader(p))
		for i := range want[p] {
			want[p][i].Offset = int64(i)
		}
		if diff := cmp.Diff(want[p], got, cmpopts.IgnoreFields(domain.Record{}, "Time")); diff != "" {
			t.Errorf("partition %d: (-want +got)\n%s", p, diff)
		}
	}
	ended, cancel := context.WithCancel(w.ctx)
	cancel()
	a.AppendEach(ended, [][]domain.Record{ticks(0, 1), nil}, func(int, int64) { t.Error("appended after the context ended") })
}

// A value of another program is given at its place, between records and on its own.
func TestReader_GivesForeignValues(t *testing.T) {
	w := given(t, "journal")
	l := w.log("journal")
	a := l.Appender()
	foreign := [][]byte{[]byte("hello"), nil, {}, []byte("\xf7OV"), []byte(`{"id":1}`)}
	for i, v := range foreign {
		w.send("journal", 0, kafka.Message{Value: v})
		_, err := a.Append(w.ctx, 0, ticks(i, 1))
		w.must(err)
	}
	w.send("journal", 0, kafka.Message{Value: []byte("at the end")})
	r, next, epoch := l.Reader(0), int64(0), int32(kafka.NoEpoch)
	for at := int64(0); at < int64(2*len(foreign)+1); {
		p, err := r.Read(w.ctx, next, epoch, nil)
		w.must(err)
		for i := range p.Records {
			got := &p.Records[i]
			own := domain.Origin{Topic: l.Topic(), Offset: at, Epoch: got.Origin.Epoch}
			if foreign := at%2 == 0; got.Offset != at || foreign != (got.Kind == domain.KindForeign) || foreign && (got.Origin != own || got.Origin.Epoch < 0) {
				t.Fatalf("at %d: %+v", at, got)
			}
			at++
		}
		next, epoch = p.Next, p.Epoch
	}
}
