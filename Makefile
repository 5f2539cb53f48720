# make test   what README says: every test
# make ci     everything a change must pass
# make bench  the figures of this machine as a table, in about five minutes
# make micro  every benchmark of the packages, once each long enough to compare
# make build  bin/ovation, built for what deploy/ovation.pgo says it does most: 8 % less CPU
# make pgo    that profile anew, of a load on this machine

.PHONY: test ci bench micro build pgo

test:
	go test ./...

ci:
	.ci/run

bench:
	go run ./deploy/bench

micro:
	go test -run='^$$' -bench=. -benchmem ./...

build:
	go build -trimpath -pgo=deploy/ovation.pgo -o bin/ovation ./cmd/ovation

pgo:
	go run ./deploy/bench --only cost --profiles bin/pgo
	cp bin/pgo/1.pgo deploy/ovation.pgo
