//go:build !full

package e2e

// full says that the sizes are those to be quoted.
const full = false
