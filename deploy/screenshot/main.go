package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The size of the picture in pixels of the page, and how many of its own each is.
const width, height, scale = 1360, 880, 1.5

// shows is the page.
const shows = "/brand/1?days=180"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	picture, err := take(ctx)
	stop()
	if err == nil {
		_, err = os.Stdout.Write(picture)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

// take runs a demo until the picture is taken.
func take(ctx context.Context) (picture []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "screenshot")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "ovation")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/ovation")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	demo := exec.CommandContext(ctx, program, "demo", "--seed", "1", "--data", filepath.Join(dir, "data"),
		"--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--embedded-kafka", "127.0.0.1:0")
	demo.Stderr = os.Stderr
	out, err := demo.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := demo.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cancel() // kills it
		demo.Wait()
	}()
	link, err := printedLink(out)
	if err != nil {
		return nil, err
	}
	go io.Copy(io.Discard, out)
	return shot(ctx, link)
}

// printedLink is the link that signs in. It is there when the demo has printed its first question, after the year was loaded.
func printedLink(out io.Reader) (link string, err error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) > 1 && words[0] == "Console":
			link = words[1]
		case len(words) > 0 && words[0] == "curl" && link != "":
			return link, nil
		}
	}
	return "", fmt.Errorf("the demo ended: %w", lines.Err())
}

// shot signs in and takes the picture once each card of the page has its numbers.
func shot(ctx context.Context, link string) (picture []byte, err error) {
	base, _, _ := strings.Cut(link, "/#")
	ctx, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	const settled = `!!document.querySelector('#main h1') && !document.querySelector('#main .ghost') && !document.querySelector('[data-stale]')`
	return picture, chromedp.Run(ctx,
		chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
		chromedp.Navigate(link), chromedp.Poll(settled, nil),
		chromedp.Navigate(base+shows), chromedp.Poll(settled+` && !!document.querySelector('.map path')`, nil),
		chromedp.CaptureScreenshot(&picture))
}
