// Package check fails tests of the stores: on errors, and where values differ.
package check
