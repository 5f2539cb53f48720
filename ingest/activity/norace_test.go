//go:build !race

package activity

const underRace = false
