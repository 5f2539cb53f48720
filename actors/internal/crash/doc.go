// Package crash turns panics of actors and of their goroutines into errors.
//
// protoactor restarts a root actor that panics: a new instance, whose predecessor's fetcher,
// publishers and open store live on. So no Receive of a root actor lets a panic out. It
// recovers, and the actor stops for good in this process: status, metrics and the log say
// why. What it was about to do is in the log, and the next process does it.
package crash
