package main

import (
	"bytes"
	"image/png"
	"os"
	"strings"
	"testing"
)

// The committed picture has the size that the command takes.
func TestScreenshot_IsThere(t *testing.T) {
	file, err := os.Open("../../api/docs/console.png")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	of, err := png.DecodeConfig(file)
	if err != nil || of.Width != width*scale || of.Height != height*scale {
		t.Errorf("%d by %d, %v", of.Width, of.Height, err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil || !bytes.Contains(readme, []byte("](api/docs/console.png)")) {
		t.Errorf("README does not show it: %v", err)
	}
}

// The link is given once the first question is printed.
func TestPrintedLink_WaitsForTheYear(t *testing.T) {
	const said = "\nConsole  http://127.0.0.1:1/#in=x (signs in once)\nAPI      http://127.0.0.1:1\n"
	if link, err := printedLink(strings.NewReader(said + "\nWhat?\n\n  curl -H 'X-API-Key: k' 'http://127.0.0.1:1/v1.1/app/info'\n")); err != nil || link != "http://127.0.0.1:1/#in=x" {
		t.Errorf("%q, %v", link, err)
	}
	if link, err := printedLink(strings.NewReader(said)); err == nil {
		t.Errorf("%q of a demo that ended", link)
	}
}
