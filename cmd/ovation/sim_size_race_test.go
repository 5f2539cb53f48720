//go:build !full && race

package main

// simUsual is how many fresh seeds of the simulation run: few where each takes ten times
// as long.
const simUsual = 6

// simErasesAtSeveral says that members are erased where there are several nodes.
const simErasesAtSeveral = false
