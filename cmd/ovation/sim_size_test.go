//go:build !full && !race

package main

// simUsual is how many fresh seeds of the simulation run.
const simUsual = 170
