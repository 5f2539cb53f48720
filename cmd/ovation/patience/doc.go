// Package patience asks the API again while it is out of reach, starts, or asks to wait.
//
// It has no state: any goroutine may call it.
package patience
