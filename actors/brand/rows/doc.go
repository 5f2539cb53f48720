// Package rows keeps the actions of one account in one shard in columns: one writer appends, removes
// and commits while any number of readers scan. It knows neither disk nor actors nor clocks.
//
//	Table (the writer's side, owned by the shard's goroutine)
//	 ├─ cells        dense number of a brand → its rows in the small-brand pool, or its slot
//	 ├─ Columns      of each brand with ≥ 1,024 rows, of the visits, and of what was evicted
//	 └─ Columns      the small-brand pool: the rows of all small brands together
//	        │ Commit: one pointer swap
//	        ▼
//	View (immutable, counted; any goroutine)
//	 ├─ Seq          the last row that belongs to it
//	 ├─ index        dense number → slot      pages copied when a brand is promoted
//	 ├─ sets         slot → Set               pages copied when a set's structure changes
//	 │    Set        runs (Chunk + deletion bitmap) and one tail; of what is evicted an Outline
//	 └─ Rest         Set of all other brands; its chunks also know their rows in brand order
//
// # Brands and kinds
//
// A brand is named by its dense number in its account, which the caller takes from the catalog; it
// indexes arrays, so it should be small. The catalog's BrandID is a label only. Dense number 0 is the
// account's visits: it has columns of its own from the first row, and EveryBrand leaves it out.
// Their kinds have numbers of their own (View.VisitKinds), since each page makes one: questions
// about activities prepare something for each kind.
//
// What a row is of, its (definition, service), is a kind, numbered by the account in order of
// appearance; a chunk has a dictionary of the numbers it holds, and a row a u16 into it. A row of a
// chunk takes 16 bytes: time, sequence above the chunk's base, ordinal, points, kind. Where a chunk's
// sequences span 2³² it takes 20. In the pool it is 4 bytes more, and 8 for each brand of a chunk.
//
// # What is evicted
//
// The rows of a cold set are on disk only. What stays is its Outline: the time and sequence of each row,
// or of many rows how many there are in each of some stretches of time, of the rows that count alone.
// By it a question counts rows that it does not read, knows that a range has none, and finds a page of
// a list in order of time by reading the page's rows. An outline takes 8 bytes a row and at most 8 KiB;
// where all of them take too much the writer cuts them down (Coarsen).
//
// # As whose rows count
//
// The rows of an ordinal can count as those of another, or nowhere (Counting): a member that is merged
// into another one. In memory such rows have the ordinal that they count as; those from disk get it
// as they are read (View.Holds). Such a row has a kind of its own (Kind.Copied). Nothing is paid where no member is merged: a look at an empty array.
//
// # The protocol
//
// Everything reachable from a View is immutable but one thing: a tail's rows beyond its published
// length and that length itself, an atomic. The writer fills rows beyond the length, and at Commit
// stores the lengths of the tails it changed, then swaps the view pointer. A reader takes a view,
// loads a tail's length, and cuts the rows to those with sequence ≤ View.Seq: within a commit rows
// may have any order, but every commit's sequences are above those of the commits before, so the cut
// is one look at the last row or a binary search. Rows with older sequences never enter a tail: they
// become a chunk, which no older view can reach. So a commit costs one atomic store a tail; sets,
// pages and the index are copied only where structure changed.
//
// A reader sees whole commits (I7), each exactly as it was, for as long as it holds the view. Two
// views taken one after the other may differ.
//
// # Small brands
//
// A brand's rows are in the pool until the shard holds Options.Promote of them; the commit that
// brings it there moves them into columns of its own, for good. A chunk of the pool is in time order
// like any other. It also has the list of its brands, each row's place in that list, and the rows in
// brand order: one small brand is a binary search a chunk. A brand that is evicted from the pool gets
// columns of its own, which are cold.
//
// # Who may call
//
// Table and Columns: one goroutine, the shard's. View and all that it reaches: any goroutine, between
// Acquire and Release. Compaction.Run and Reload.Add: any one goroutine, since what they read never
// changes. Readers change nothing that they reach.
package rows
