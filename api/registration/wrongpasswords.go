package registration

import (
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
)

// So many wrong passwords from one address within so long lock it for as long. They are counted
// by each node for itself, in memory: what an address does wrong at one member is in the log.
const (
	maxWrong    = 100
	wrongWithin = 15 * time.Minute
)

// maxAddresses bounds the addresses that are remembered (I8): of more, some that are not locked
// are forgotten.
const maxAddresses = 1 << 14

// wrongPasswords counts wrong passwords by the account that they were for and the address that they came
// from. Any goroutine.
type wrongPasswords struct {
	mu sync.Mutex
	by map[string]*wrongFrom
}

// wrongFrom is what came from one address.
type wrongFrom struct {
	times []time.Time // of the last ones, ascending
	until time.Time   // locked until then
}

// from is the account and the address that wrong passwords are counted by; empty: no address is known. An
// account's backend says where its members are; of IPv6 who has one address has the /64 around it.
func (in *visitIn) from(req *serve.Request) string {
	at := req.Remote()
	if given, err := netip.ParseAddr(string(in.IP)); err == nil {
		at = given.Unmap()
	}
	if !at.IsValid() {
		return ""
	}
	if at.Is6() {
		network, _ := at.WithZone("").Prefix(64) // 64 is a length of IPv6
		at = network.Addr()
	}
	return strconv.FormatUint(uint64(req.Account()), 10) + "/" + at.String()
}

// check refuses a request by email from a locked address, before anything is looked up.
func (w *wrongPasswords) check(req *serve.Request, service domain.Service, from string) error {
	if service != domain.Email {
		return nil
	}
	if req.Response.Retry = w.locked(from, req.Clock.Now); req.Response.Retry > 0 {
		return domain.Bad(domain.Locked, "ip", "too many wrong passwords came from this address")
	}
	return nil
}

// locked is how many seconds the address is still locked; 0: it is not.
func (w *wrongPasswords) locked(from string, now time.Time) uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.by[from]
	if f == nil || !now.Before(f.until) {
		return 0
	}
	return uint32((f.until.Sub(now) + time.Second - 1) / time.Second)
}

// note counts a wrong password. An address that is not known is not counted.
func (w *wrongPasswords) note(from string, now time.Time) {
	if from == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.by[from]
	if f == nil {
		if w.by == nil {
			w.by = map[string]*wrongFrom{}
		}
		w.forget(now)
		f = &wrongFrom{}
		w.by[from] = f
	}
	for len(f.times) > 0 && !f.times[0].After(now.Add(-wrongWithin)) {
		f.times = f.times[1:]
	}
	f.times = append(f.times, now)
	if len(f.times) >= maxWrong {
		f.times, f.until = nil, now.Add(wrongWithin)
	}
}

// forget makes room for one address more: those that are over go first, then any that is not
// locked, then any.
func (w *wrongPasswords) forget(now time.Time) {
	if len(w.by) < maxAddresses {
		return
	}
	for _, spare := range [...]func(*wrongFrom) bool{
		func(f *wrongFrom) bool {
			return !now.Before(f.until) && (len(f.times) == 0 || !f.times[len(f.times)-1].After(now.Add(-wrongWithin)))
		},
		func(f *wrongFrom) bool { return !now.Before(f.until) },
		func(*wrongFrom) bool { return true },
	} {
		for from, f := range w.by {
			if len(w.by) < maxAddresses {
				return
			}
			if spare(f) {
				delete(w.by, from)
			}
		}
	}
}
