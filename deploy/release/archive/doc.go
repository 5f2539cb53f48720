// Package archive writes archives that are the same bytes for the same entries: sorted by name, of one time, with the
// owners that the entries name, whatever the machine on which they are made.
//
//	Entry… ─► Tar ─► TarGz
//
// Functions keep nothing; any goroutine may call them.
package archive
