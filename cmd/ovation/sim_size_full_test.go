//go:build full

package main

// simUsual is how many fresh seeds of the simulation run.
const simUsual = 10_000

// simErasesAtSeveral says that members are erased where there are several nodes.
const simErasesAtSeveral = true
