# make test   what README says: every test
# make quick  vet, the architecture, short tests of what changed and of its importers
# make ci     everything a change must pass
# make bench  the figures of this machine as a table, in about five minutes
# make micro  every benchmark of the packages, once each long enough to compare
# make structure  types that promote methods, files of a package that use each other
# make build  bin/ovation; with the profile of make pgo where there is one: 0.97 of the CPU an activity
# make release  programs, image, bills of materials, Debian packages, chart and compose file of this version in .release
# make pgo    bin/ovation.pgo, a profile of a load on this machine

# Of a build outside git: make build VERSION=v1.2.3 REVISION=abc
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
REVISION ?=
RELEASE ?= .release
BUILD := github.com/ovation-analytics/ovation/cmd/ovation/build

.PHONY: test quick ci bench micro structure build release pgo

test:
	go test ./...

quick:
	.ci/quick

ci:
	.ci/run

bench:
	go run ./deploy/bench

micro:
	go test -run='^$$' -bench=. -benchmem ./...

structure:
	go run ./deploy/structure

build:
	go build -trimpath -ldflags "-X $(BUILD).version=$(VERSION) -X $(BUILD).revision=$(REVISION)" -pgo=$$(ls bin/ovation.pgo 2>/dev/null || echo off) -o bin/ovation ./cmd/ovation

release:
	go run ./deploy/release --out $(RELEASE) --version "$(or $(VERSION),v0.0.0)" --revision "$(or $(REVISION),$(shell git rev-parse HEAD 2>/dev/null),unknown)"

pgo:
	go run ./deploy/bench --only cost --profiles bin/pgo
	cp bin/pgo/1.pgo bin/ovation.pgo
