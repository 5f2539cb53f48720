package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// smallDisk is a disk of its own for a node, which lasts as long as a process that does
// nothing but hold it.
type smallDisk struct {
	t       *testing.T
	dir     string   // as the node sees it
	outside string   // as the test does
	within  []string // what starts a command that sees it
}

// newSmallDisk mounts one of so many MiB, in the machine's memory. Where that is not
// allowed the test is skipped.
func newSmallDisk(t *testing.T, mib int) *smallDisk {
	t.Helper()
	dir := t.TempDir()
	holder := exec.Command("unshare", "--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs -o size=`+fmt.Sprint(mib)+`m tmpfs "$0" && echo mounted && exec sleep infinity`, dir)
	holder.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var errs strings.Builder
	holder.Stderr = &errs
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Skip("no disk can be mounted here: ", err)
	}
	t.Cleanup(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		t.Skipf("no disk can be mounted here: %v %s", err, errs.String())
	}
	pid := fmt.Sprint(holder.Process.Pid)
	return &smallDisk{t, dir, filepath.Join("/proc", pid, "root", dir), []string{"nsenter", "--target", pid, "--user", "--mount", "--preserve-credentials"}}
}

func (d *smallDisk) free() int64 {
	d.t.Helper()
	var st syscall.Statfs_t
	if err := syscall.Statfs(d.outside, &st); err != nil {
		d.t.Fatal(err)
	}
	return int64(st.Bavail) * st.Bsize
}

// fill leaves at most so many bytes free. A node may write meanwhile: it fills in steps, and a step for which the space is gone is repeated.
func (d *smallDisk) fill(left int64) {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.outside, "filler"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	const step = 64 << 20
	for size, free := int64(0), d.free(); free > left; free = d.free() {
		n := min(free-left, step)
		switch err := syscall.Fallocate(int(f.Fd()), 0, size, n); {
		case err == nil:
			size += n
		case !errors.Is(err, syscall.ENOSPC):
			d.t.Fatal(err)
		}
	}
}

func (d *smallDisk) empty() {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.outside, "filler")); err != nil {
		d.t.Fatal(err)
	}
}

// TestFullDisk_WaitsAndRecovers fills the disk under a node, to below the floor of its log and then to
// the last byte: what is published and written waits, what is there is answered, and all
// goes on when there is space again. A node that starts on a full disk waits, and reports it.
func TestFullDisk_WaitsAndRecovers(t *testing.T) {
	t.Parallel()
	disk := newSmallDisk(t, 420)
	n := newNode(t, harness.Node{Data: filepath.Join(disk.dir, "data"), Within: disk.within, Args: embedded.flags("")})
	n.start()
	h := newTopicFixture(t, n)
	h.publish(20, false)
	h.counted()
	for _, left := range []int64{200 << 20, 0} {
		disk.fill(left)
		done := h.refused(left)
		disk.empty()
		done()
		h.counted()
	}

	n.Stop()
	disk.fill(0)
	n.Admin = n.begin(harness.Starting)[1]
	n.eventually("word that it waits for room", func() bool {
		status, body := n.Get("/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "the node waits for room on the disk")
	})
	disk.empty()
	n.eventually("its start", func() bool { return harness.Serving.MatchString(n.Log()) })
	m := harness.Serving.FindStringSubmatch(n.Log())
	n.HTTP, n.Admin, n.Kafka = m[1], m[2], m[3]
	n.eventually("readiness", func() bool {
		status, _ := n.Get("/readyz")
		return status == http.StatusOK
	})
	h.connect()
	h.counted()
	h.publish(5, false)
	h.counted()
	n.Kill()
	n.start()
	h.counted()
}

// refused publishes and writes while the log refuses what comes; done is for when there is
// space again.
func (h *topicFixture) refused(left int64) (done func()) {
	h.Helper()
	refusing := fmt.Sprintf(`"refusing":"the disk is nearly full: %d MiB free`, left>>20)
	h.n.eventually("word that the disk is full", func() bool { // it is looked at now and then
		_, status := h.n.Get("/status")
		return strings.Contains(status, refusing)
	})
	h.done++
	a := h.p.act(h.rnd, fmt.Sprint("act-", h.done), last(20))
	published := make(chan error, 1)
	h.kgo.Produce(ctx(h), h.p.record(&a, plainForm, byService, nil), func(_ *kgo.Record, err error) { published <- err })
	name := fmt.Sprint("with so much left: ", left)
	write := func(ms string) error {
		_, _, err := client.Do(ctx(h), h.p.api(h.n).With("Idempotency-Key", name), client.CreateBrand{Name: name, Type: "Music", More: client.Params{"timeout_ms": ms}})
		return err
	}
	var said *client.Error
	if err := write("300"); !errors.As(err, &said) || said.Status != http.StatusServiceUnavailable || said.Code != domain.Unavailable {
		h.Fatalf("a write is answered with %v", err)
	}
	h.n.eventually("word of it", func() bool {
		_, status := h.n.Get("/status")
		_, metrics := h.n.Get("/metrics")
		return strings.Contains(status, refusing) && strings.Contains(metrics, `ovation_waiting{id="",what="log"} 1`)
	})
	h.counted()
	if got, body := h.n.Get("/readyz"); got != http.StatusOK || !strings.HasPrefix(body, "degraded: the embedded log takes nothing") {
		h.Fatalf("readiness is %d %s", got, body)
	}
	select {
	case err := <-published:
		h.Fatalf("published on a full disk: %v", err)
	default:
	}
	return func() {
		h.Helper()
		h.must(<-published)
		h.p.note(a)
		h.must(write("9000"))
		if n := strings.Count(h.n.Log(), "log: appends are refused"); n == 0 {
			h.Errorf("the log does not say it:\n%s", h.n.Log())
		}
	}
}
