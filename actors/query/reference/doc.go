// Package reference answers every question of package domain in the most obvious way: it looks
// at each action and each member, with loops and maps. Tests compare the engine with it; the
// program does not import it. It shares no code with them.
//
// A Model holds members and the actions that count, each once. A question changes nothing, so
// any goroutine may ask while no other one writes.
package reference
