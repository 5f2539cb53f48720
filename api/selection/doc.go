// Package selection turns the parameters of lists and statistics into the filter of a
// question: filters.go the parameters and the definitions that count, members.go what takes the
// engine to find (addresses, performed activities), required.go the fields that a listed member
// must have, lists.go the lists of segments. It is the one place that finds the member whom a
// request names: reference.go by a name or an identity, performer.go the one of an action.
// Functions read the catalog and the engine through the Request, on its goroutine; what they
// find unknown is the error of the parameter that names it.
package selection
