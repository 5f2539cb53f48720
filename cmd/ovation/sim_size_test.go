//go:build !full && !race

package main

// simUsual is how many fresh seeds of the simulation run.
const simUsual = 100

// simErasesAtSeveral says that members are erased where there are several nodes: one seed of some hundreds finds a
// member then whose data key is gone.
const simErasesAtSeveral = false
