//go:build !full

package actors

// Sizes of the model of logins: operations of each of its rounds, rows of a page of an explanation.
const (
	loginOperations = 350
	explainedRows   = 40
)
