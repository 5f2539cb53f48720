package main

import (
	"log"
	"os"

	"github.com/ovation-analytics/ovation/api"
)

// file is what is written, in the folder of package client.
const file = "operations.go"

func main() {
	text, err := source(api.Operations())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		log.Fatal(err)
	}
}
