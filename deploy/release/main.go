package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	var r release
	architectures := flag.String("arch", "amd64,arm64", "architectures, with commas")
	flag.StringVar(&r.out, "out", ".release", "`directory` that is made again")
	flag.StringVar(&r.version, "version", "v0.0.0", "what the program calls itself")
	flag.StringVar(&r.revision, "revision", "unknown", "the commit")
	flag.Parse()
	r.architectures = strings.Split(*architectures, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := error(nil)
	if r.at, err = releaseTime(ctx); err == nil {
		err = r.make(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// releaseTime is the time of all files: that of the environment, else of the commit, else 1980, before which some
// archives know no time.
func releaseTime(ctx context.Context) (time.Time, error) {
	text, source := os.Getenv("SOURCE_DATE_EPOCH"), "SOURCE_DATE_EPOCH"
	if text == "" {
		source = "git log"
		out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), nil
		}
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %q is no number of seconds", source, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
