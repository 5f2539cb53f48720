package harness

import (
	"bytes"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// All who wait for a process come back, with its exit code: of one that closed its log they all wait for its end.
func TestProcess_AnyNumberWait(t *testing.T) {
	for range 50 {
		cmd := exec.Command("sh", "-c", "exec 2>&-; exec cat")
		cmd.Stdout = new(bytes.Buffer) // has Wait wait for a copying goroutine
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := StartProcess(t.Context(), cmd, nil)
		if err != nil {
			t.Fatal(err)
		}
		<-p.Ended()
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if code := p.Wait(); code != -1 {
					t.Errorf("exit code %d of a process that was killed", code)
				}
			})
		}
		all.Go(func() { p.End(syscall.SIGKILL) })
		all.Wait()
		_ = in.Close()
	}
}
