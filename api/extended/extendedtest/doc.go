// Package extendedtest is a naive model of conditions on Extended nodes and of their order, over
// documents as encoding/json reads them, and draws random ones. Tests hold package extended, and the
// list that uses it, against it.
package extendedtest
