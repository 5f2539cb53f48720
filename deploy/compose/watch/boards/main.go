package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: boards DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "boards:", err)
		os.Exit(1)
	}
}

// write writes each dashboard into a directory.
func write(dir string) error {
	for _, b := range boards {
		text, err := b.json()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, b.file()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
