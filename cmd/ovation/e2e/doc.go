// Package e2e runs the plain binary as a user does and holds it to what it promises:
// through Kafka in, over HTTP out, killed in between.
//
// Each test runs on the embedded log and on one Apache Kafka that all share
// (logs_test.go); what makes sense on one of them alone says why.
//
// cluster_test.go has several nodes on an Apache Kafka of their own, each behind proxies that break, cut and delay;
// cluster_load_test.go is what clients and collectors do meanwhile, and holds every answer to what it may be.
//
// harness_test.go starts and kills nodes; model_test.go is a naive model of accounts, members
// and actions that answers the same questions by counting; kinds_test.go is the table
// of all that can be asked, numbers_tellers_test.go that of all that gives a number,
// which must be the same everywhere (I12). The tests are named by what they show. go
// test runs the short sizes, go test -tags=full those that are quoted. CI leaves the race
// detector out here: it would watch the model count, and not the program.
package e2e
