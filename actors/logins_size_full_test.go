//go:build full

package actors

// Sizes of the model of logins: operations of each of its rounds, rows of a page of an explanation.
const (
	loginOperations = 33_400
	explainedRows   = 1000
)
