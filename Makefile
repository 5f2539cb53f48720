# make test   what README says: every test
# make ci     everything a change must pass
# make bench  the figures of this machine as a table, in about five minutes
# make micro  every benchmark of the packages, once each long enough to compare
# make build  bin/ovation

.PHONY: test ci bench micro build

test:
	go test ./...

ci:
	.ci/run

bench:
	go run ./deploy/bench

micro:
	go test -run='^$$' -bench=. -benchmem ./...

build:
	go build -trimpath -o bin/ovation ./cmd/ovation
