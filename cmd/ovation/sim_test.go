package main

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"
)

// The crash simulation. One seed is one random schedule of what an installation of one to three
// nodes meets: users of the API, collectors, storms on the wires, nodes that are cut from the
// broker, power that is cut at any write or request, in the midst of a recovery too. All of the engine runs, from the API down to
// Pebble, with the embedded log and the Kafka client between: only the disks, the wires
// and the clock are made up. When all is drained, what the API and the dead letters say
// is compared with a naive model, and the state with that of a replay of the journal on
// an empty disk, and of every other node.
//
//	go test ./cmd/ovation -run TestSimulation -seed 17         this one
//	go test ./cmd/ovation -run TestSimulation -first 1 -seeds 500
//	go test -tags=full ./cmd/ovation -run TestSimulation       10,000
//
//	sim_power_test.go    a machine's disk, and its end
//	sim_wire_test.go     connections; sim_faults_test.go: what happens on them
//	sim_fleet_test.go    the other nodes, of a seed that has two or three
//	sim_lives_test.go    the broker and the engine, from a start to a stop or a cut
//	sim_harness_test.go  all of it together: starting again, asking until there is an answer
//	sim_run_test.go      the schedule; sim_users_test.go, sim_publish_test.go: what it is of
//	sim_visits_test.go   registrations and logins as visits
//	sim_erase_test.go    members who are erased; sim_disposition_test.go: what becomes of what they did;
//	sim_erased_test.go   what must be left of them
//	sim_recorded_test.go whose an answer is that names a member, also where an identity changed hands meanwhile
//	sim_merge_test.go    members who are merged, and parted; sim_mergemodel_test.go: what is known of it;
//	sim_merged_test.go   what must have become of them
//	sim_lists_test.go    lists of segments, by their events
//	sim_gap_test.go      logs that lose what was not read
//	sim_access_test.go   allowlists, access tokens, signing keys
//	sim_keys_test.go     data keys, and rotations of the master key
//	sim_strange_test.go  values of other programs in our topics, readers that panic
//	sim_model_test.go    what was sent; sim_check_test.go: what must have become of it
//	sim_usage_test.go    hits, plans and limits
//	sim_tell_test.go     numbers of several endpoints; sim_read_test.go: feeds, letters
//
// A seed decides the schedule, each fault's chance and when the power is cut, counted in
// operations; time is the bubble's, so a back-off or a time-out comes at the same moment.
// It does not decide the order in which goroutines that could both run do, nor random
// ids. A seed that failed may have to run some times until it fails again; its story is
// in the message.
var (
	simSeed  = flag.Uint64("seed", 0, "crash simulation: this seed alone")
	simFirst = flag.Uint64("first", 0, "crash simulation: the first seed; 0: one that the clock names")
	simSeeds = flag.Int("seeds", 0, "crash simulation: how many seeds; 0: as many as is usual")
)

// seedsOr is how many seeds run where usually n do.
func seedsOr(n int) int {
	switch {
	case *simSeeds > 0:
		return *simSeeds
	case testing.Short():
		return 1 + n/40
	}
	return n
}

// simFound are seeds that find what was wrong, if it is put back: each has a test of its
// own beside the code.
var simFound = []uint64{
	2,   // a public topic made again while the node was down was taken for a new one
	41,  // a forgotten group offset hid what was cut and had never been routed
	86,  // the same request twice in a slice gave later actions other ids
	385, // the ends of the public topic, asked for before there was a router

	106756, // the group had no commit for an idle partition: two times of three
}

func TestSimulation(t *testing.T) {
	seeds := append([]uint64{}, simFound...)
	first := *simFirst
	if first == 0 {
		first = uint64(time.Now().UnixMilli()) * 1000
	} else {
		seeds = nil
	}
	for i := range seedsOr(simUsual) {
		seeds = append(seeds, first+uint64(i))
	}
	if *simSeed != 0 {
		seeds = []uint64{*simSeed}
	}
	ran, failed := 0, 0
	defer func() { t.Logf("%d seeds from %d on, %d with a difference", ran, first, failed) }()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)))
		for _, seed := range seeds {
			if err := simulate(seed); err != nil {
				failed++
				t.Errorf("go test ./cmd/ovation -run TestSimulation -seed %d: %v", seed, err)
			}
			if ran++; failed > 0 && flag.Lookup("test.failfast").Value.String() == "true" {
				break
			}
		}
		time.Sleep(time.Minute) // timers of what was stopped run out
	})
}
