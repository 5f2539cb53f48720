// Package brand keeps the actions of one account in one shard in memory and
// answers questions from them: any number of readers scan while one writer
// appends, removes and commits. Nothing here knows of disk, actors or clocks.
//
//	Table (the writer's side, owned by the shard's goroutine)
//	 ├─ cells        dense number of a brand → its rows in the rest, or its slot
//	 ├─ Columns      of each brand with ≥ 1,024 rows, of the visits, and of what was evicted
//	 └─ Columns      the rest: the rows of all small brands together
//	        │ Commit: one pointer swap
//	        ▼
//	View (immutable, counted; any goroutine)
//	 ├─ Seq          the last row that belongs to it
//	 ├─ index        dense number → slot      pages copied when a brand is promoted
//	 ├─ sets         slot → set               pages copied when a set's structure changes
//	 │    set        runs (chunk + dead rows) and one tail
//	 └─ rest         set of all other brands; its chunks also know their rows in brand order
//
// # Brands and kinds
//
// A brand is named by its dense number in its account, which the caller takes from
// the catalog; it indexes arrays, so it should be small. The catalog's BrandID is a
// label only: it is kept beside an own set so that a cold brand's rows can be
// asked for. Dense number 0 is the account's visits: it has columns of its own from
// the first row, and is in no answer about EveryBrand.
//
// What a row is of, its (definition, service), is numbered by the account in order
// of appearance; a chunk has a dictionary of the numbers it holds, and a row a u16
// into it. A row of a chunk takes 16 bytes: time, sequence above the chunk's base,
// ordinal, points, kind. Where a chunk's sequences span 2³² it takes 20. In the rest it
// is 4 bytes more, and 8 for each brand of a chunk.
//
// # The protocol
//
// Everything reachable from a View is immutable but one thing: a tail's rows beyond
// its published length and that length itself, an atomic. The writer fills rows
// beyond the length, and at Commit stores the lengths of the tails it touched, then
// swaps the view pointer. A reader takes a view, loads a tail's length, and cuts
// the rows to those with sequence ≤ View.Seq: within a commit rows may stand in any
// order, but every commit's sequences are above those of the commits before, so the
// cut is one look at the last row or a binary search. Rows with older sequences never
// enter a tail: they become a chunk (Load), which no older view can reach. So a commit
// costs one atomic store a touched tail; sets, pages and the index are copied only
// where structure changed.
//
// What is promised: a reader sees whole commits (I7), each exactly as it was, for
// as long as it holds the view. What is not: that two views taken one after the
// other are the same.
//
// # Small brands
//
// A brand's rows go to the rest until the shard holds Options.Promote of them; the
// commit that brings it there moves them into columns of its own, and it does not go
// back. A rest chunk is in time order like any other, so ranges and questions about
// the account read it as they read any other. It also has the list of its brands,
// each row's place in that list, and the rows in brand order: one small brand is
// a binary search a chunk. A brand of the rest that is evicted gets columns of its
// own, which are cold.
//
// # Counting
//
// Rows under a filter, or with dead ones among them, are gathered first, without a
// branch; then few rows are counted by a mask a member, many by a bitset a group,
// and more than 64 groups by putting the rows in group order. A timeline counts
// day by day with marks that carry the day. A count by a value of the members (country,
// gender, day of birth) counts rows by member before it looks up the values, unless they
// are few; days of birth become bands of ages when they are counted. Newcomers are a
// tally's members, of whom those with any row before the range are taken out, until
// nobody is left. All of it is exact.
//
// Leaders sum points and actions by ordinal, both in one word that is emptied before it
// could overflow, then rank who was met, or look at all where many were; the latest action
// of those on the page is looked for backwards in time, until nobody on it can have
// a later one. A crossover counts own sets one by one by a bitset. Of the rest it puts all
// rows in the order of their brands, since how many each chunk has of each is known, and
// marks members with the number of the last brand they were met at; those who do not pass
// are marked so that they are never met. Where few rows pass, it gathers these first.
//
// # Feeds
//
// A feed counts its rows as a tally does, but those of chunks and tails that belong to it
// as a whole are not looked at, and finds the first of them apart from that:
// it walks tails and chunks from the end it begins with, keeps twice as many rows as are
// wanted, and once it has them passes over every chunk, and the rest of every chunk,
// that cannot hold one before the last of these. A listing of each member's latest in
// another order, and one with a keyword, looks at every row. A keyword is looked for in
// all that a brand's actions of those times say, at the speed of a search for bytes
// (seek.go), and then among the rows for those that have it, where many pass everything
// else (search.go); else row by row. What was gone through once leaves gists, by which what
// cannot have a keyword is passed over later (gist.go).
//
// How many members a feed of their latest lists takes no look at the rows of chunks that
// belong to it as a whole: a chunk knows its members once it was asked for them (who.go).
//
// Behind a row the walk begins at its second; what is ahead of it is counted like a
// tally, or its members are noted, since theirs is not the latest any more. Where a list
// is in order of recording, the sequences that belong to a moment are looked for by
// reading when a few rows were recorded: a row is recorded when it takes its sequence, by
// its shard's clock, which never goes back. Shards merge by recording and id. A page far down is found by depths: counts of
// rows by parts of what the list is ordered by, of which the asker makes a row to begin
// behind.
//
// # Deeds
//
// Who did one of some things, and every one of others, is looked for apart from what is
// counted: of any service, for any brand or for one. Each thing that must be done has a
// bit, and a member a word: 64 of them take one pass over the rows, those of one brand
// alone over that brand's. One bit needs no words, but the set of the members itself.
//
// # Giving up
//
// A question looks before every stretch of at most 65,536 rows whether somebody still
// waits for it (until.go). Once nobody does it passes over what is left, takes back what it
// noted by ordinal as it would have, and gives ErrEnded.
//
// # One member
//
// A filter that one member alone passes is looked for by that member: places of its rows
// are found eight ordinals at a time, before any other column is touched, and what is left
// are few rows (every.go). Standings are made of them brand by brand.
//
// # Who may call
//
// Table and Columns: one goroutine, the shard's. View: any goroutine, between
// Acquire and Release. Scratch: one goroutine at a time. Merge.Run and Reload.Add: any
// one goroutine, since what they read never changes.
package brand
