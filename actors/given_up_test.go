package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// cutLog is a log of which a node may be cut off. Its records have the time of the test.
type cutLog struct {
	*memLog
	cut atomic.Bool
	// holds: what is sent while the node is cut off stands before the broker, and is stored once the cut is healed, though
	// its sender has given it up.
	holds bool

	mu     sync.Mutex
	held   []heldBatch
	healed chan struct{} // closed with the end of the cut
}

func newCutLog(of *memLog) *cutLog { return &cutLog{memLog: of, healed: make(chan struct{})} }

type heldBatch struct {
	partition int
	records   []domain.Record
}

func (l *cutLog) Appender() journal.Appender  { return l }
func (l *cutLog) Reader(p int) journal.Reader { return cutReader{l, l.memLog.Reader(p)} }

func (l *cutLog) End(ctx context.Context, p int) (int64, error) {
	if l.cut.Load() {
		return 0, errAway
	}
	return l.memLog.End(ctx, p)
}

func (l *cutLog) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if l.cut.Load() {
		if l.holds {
			l.mu.Lock()
			l.held = append(l.held, heldBatch{p, append([]domain.Record(nil), records...)})
			l.mu.Unlock()
		}
		select { // a producer repeats until its context ends
		case <-l.healed:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	l.keepTime()
	return l.memLog.Append(ctx, p, records)
}

func (l *cutLog) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	appendEach(ctx, l, batches, done)
}

// keepTime has the log's clock be at least the test's.
func (l *cutLog) keepTime() {
	l.memLog.mu.Lock()
	defer l.memLog.mu.Unlock()
	l.clock = max(l.clock, time.Now().UnixMilli())
}

// heal ends the cut.
func (l *cutLog) heal(t *testing.T) {
	l.cut.Store(false)
	close(l.healed)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.held {
		l.keepTime()
		appendTo(t, l.memLog, h.partition, h.records...)
	}
}

type cutReader struct {
	l *cutLog
	journal.Reader
}

func (r cutReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if r.l.cut.Load() {
		return domain.Page{}, errAway
	}
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	if r.l.cut.Load() {
		return domain.Page{}, errAway
	}
	return page, err
}

// What a node that was cut off from its log refused does not take effect after the cut: what was made elsewhere
// meanwhile holds, also where a batch stood before the broker. What was acknowledged is in the log (I4).
func TestI4_RefusedCommandsAreGivenUp(t *testing.T) {
	for name, holds := range map[string]bool{"not sent": false, "on its way": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				const fans = 100
				b := furnished(t, 2, 1, Options{})
				journalOfB := newCutLog(b.journal)
				b.close()
				b.options.Journal = journalOfB
				b.open()
				cut, cutCatalog := newCutLog(b.journal), newCutLog(b.catalog)
				cut.holds, cutCatalog.holds = holds, holds
				a := b.beside(Options{Logs: Logs{Journal: cut, Catalog: cutCatalog}})
				ids := b.members(fans)
				b.settled()
				submit := func(r *harness, s domain.Submission, n byte) error {
					ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
					defer cancel()
					s.Account, s.Request[0], s.BodyHash = 1, n, 1
					_, err := r.node.Submit(ctx, s)
					return err
				}
				opt := func(i int, in bool) (s domain.Submission) {
					s.Slot, s.Request[1] = ids[i].Slot(), byte(i)
					if in {
						s.Command = &domain.OptIn{Member: ids[i], Opt: domain.Opt{Kind: domain.OptGlobal}, At: 1}
					} else {
						s.Command = &domain.OptOut{Member: ids[i], Opt: domain.Opt{Kind: domain.OptGlobal}, At: 1}
					}
					return s
				}
				async := func(i int, hash uint64) (s domain.Submission) {
					activity := b.actOf(ids[i], hash)
					s.Slot, s.Activity, s.Durable, s.Request[1] = ids[i].Slot(), &activity, true, byte(i)
					return s
				}
				brand := domain.Submission{Command: &domain.PutBrand{ID: 1, Given: domain.BrandFields{"Name": "of a"}}}
				for i := range fans { // both nodes learn the clocks of the logs
					for _, err := range []error{submit(a, opt(i, false), 101), submit(b, opt(i, false), 102), submit(a, async(i, uint64(i+1)), 103)} {
						if err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := submit(a, brand, 104); err != nil {
					t.Fatal(err)
				}

				cut.cut.Store(true)
				cutCatalog.cut.Store(true)
				var wg sync.WaitGroup
				refused := func(s domain.Submission, n byte) {
					wg.Go(func() {
						if err := submit(a, s, n); !errors.Is(err, domain.ErrUnavailable) {
							t.Errorf("at a node that is cut off: %v", err)
						}
					})
				}
				for i := range fans {
					refused(opt(i, true), 111)
				}
				synctest.Wait() // the first of them are under way
				for i := range fans {
					refused(async(i, uint64(1000+i)), 112)
				}
				refused(brand, 113)
				wg.Wait()
				newer := brand
				newer.Command = &domain.PutBrand{ID: 1, Given: domain.BrandFields{"Name": "of b"}}
				if err := submit(b, newer, 121); err != nil {
					t.Fatal(err)
				}
				for i := range fans {
					if err := submit(b, opt(i, false), 122); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(40 * time.Second)
				cut.heal(t)
				cutCatalog.heal(t)
				for i := range fans {
					if err := submit(a, async(i, uint64(2000+i)), 131); err != nil {
						t.Fatal(err)
					}
				}
				for _, r := range []*harness{a, b} {
					r.settled()
					if got := r.ask(allOf(domain.ShapeTally, 1)).Tally.Total; got.Members != fans {
						t.Errorf("%+v", got)
					}
					for _, id := range ids {
						m, _, err := r.node.MemberRecord(context.Background(), 1, id, domain.Position{})
						if err != nil || len(m.Opts) != 1 || !m.Opts[0].Out {
							t.Fatalf("%+v %v", m, err)
						}
					}
					r.eventually("the newer name", func() bool {
						is, _ := r.node.Catalog().Brand(1, 1)
						return is.Fields["Name"] == "of b"
					})
				}
				late := 0
				acknowledged := map[uint64]bool{}
				for _, part := range append(b.journal.parts, b.catalog.parts...) {
					for i := range part {
						switch n := part[i].Request[0]; {
						case n == 103 || n == 131:
							acknowledged[part[i].Activity.Hash] = true
						case n == 111 || n == 113:
							late++
							if !part[i].IsVoid() {
								t.Fatalf("%+v", part[i])
							}
						case n == 112 && !holds:
							t.Fatalf("%+v", part[i])
						}
					}
				}
				if len(acknowledged) != 2*fans || holds == (late == 0) {
					t.Errorf("%d of %d acknowledged are in the log, %d came late", len(acknowledged), 2*fans, late)
				}
				void := int64(0)
				for _, s := range b.node.running {
					void += s.Stats.Void.Load()
				}
				if holds && void == 0 || appending(a) != "" {
					t.Errorf("%d are void; %s", void, appending(a))
				}
			})
		})
	}
}

// appending is why commands of a node cannot be appended; empty: they can.
func appending(r *harness) string {
	for _, a := range r.node.shards.appenders {
		if why := a.State().Why(); why != "" {
			return why
		}
	}
	return ""
}

// A clock of the log that is set, however far, refuses no command: what came after its time then decided nothing, and is
// submitted again.
func TestSubmit_ClockOfTheLogIsSet(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id, partner := r.forwarded()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for round := range byte(3) {
		for i, s := range []domain.Submission{
			{Slot: id.Slot(), Command: &domain.OptIn{Member: id, Opt: domain.Opt{Kind: domain.OptGlobal}, At: 1}},
			{Slot: partner.Slot(), Activity: &domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(round + 1)}},
			{Command: &domain.PutBrand{ID: 1, Given: domain.BrandFields{"Name": "n"}}},
		} {
			for _, l := range []*memLog{r.journal, r.catalog} {
				l.mu.Lock()
				l.clock += time.Hour.Milliseconds()
				l.mu.Unlock()
			}
			s.Account, s.Application, s.Request, s.BodyHash = 1, 1, domain.RequestID{9, round, byte(i)}, 5
			out, err := r.node.Submit(ctx, s)
			if err != nil || out.Code != domain.OK || out.Replayed || s.Activity != nil && !out.New {
				t.Errorf("round %d, %d: %+v %v", round, i, out, err)
			}
		}
	}
	void := int64(0)
	for _, s := range r.node.running {
		void += s.Stats.Void.Load()
	}
	if void == 0 {
		t.Error("no command was void: the test shows nothing")
	}
	r.wantActions(3)
}
