// Package brands answers the operations on brands: the list in the order of names, one,
// create, edit, delete. Names and ids of networks are read out of the addresses given; a
// Resolver, where there is one, looks up the rest. A Service may be called by any goroutine;
// it keeps the order of each account's brands as a cache of the catalog.
package brands
