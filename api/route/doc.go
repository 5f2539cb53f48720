// Package route finds the route of a path: a table of routes compiled to an
// httprouter tree.
//
//	/v1.1/brand/create          a literal segment wins over a parameter at its
//	/v1.1/brand/:brandid        place, whatever the methods are
//	/v1.1/brand/:brandid/edit
//
// httprouter refuses a literal beside a parameter and two names for one
// parameter. Compile widens such a literal to a parameter, puts the widened path
// into the tree once, and keeps behind it the routes that it covers, the most
// literal first.
//
// The path decides first and the method after it: GET on a path that only POST
// has is "method not allowed", also where a parameter could take the literal. A
// path in another case or with spare slashes is found by Fix, so that it can be
// redirected. A Table is read only once it is compiled: any goroutine may ask it.
package route
