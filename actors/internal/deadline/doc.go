// Package deadline tells how long a request may still take.
package deadline
