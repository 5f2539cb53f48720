package supervisor

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// leashFD is the file of a process that ends with its supervisor.
const leashFD = 3

// leashTime is how long a process has for its end in order once its supervisor is gone.
const leashTime = 2 * time.Second

// Leash gives a context that ends when the supervisor of this process is gone; a little later the process ends by force.
func Leash(ctx context.Context) (context.Context, error) {
	f := os.NewFile(leashFD, "leash")
	if f == nil {
		return nil, errNoLeash
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errNoLeash
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, f)
		time.AfterFunc(leashTime, func() { os.Exit(1) })
		cancel()
	}()
	return ctx, nil
}

var errNoLeash = errors.New("this process has no supervisor")
