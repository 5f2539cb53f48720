// Package follow shares the work of readers of streams that ask the same question.
//
//	Hub       the followers and the readers of a node, with their bounds
//	follower  asks one question for all its readers: at most every 100 ms, page after page until nothing more is visible
//	Reader    one reader's way over the pages: the follower's where its cursor is at the start of one, its own until then
//	Cursor    how far each shard was read
//	Page      events, and the cursor after them
//
// A follower keeps its last pages, each under the cursor that it begins at. A reader whose cursor is the start of
// one takes that page's bytes, which all readers share. One that is behind makes pages of its own, which end where a
// page of the follower begins: there it joins. So each reader gets the events of its question after its cursor, each
// once, whoever made the pages.
//
// A follower waits for no reader. A reader that takes nothing holds one page and asks nothing: the pages that it would
// need next are dropped meanwhile, and it asks for them itself when it goes on.
//
// What makes pages is a port (Source). The package knows no HTTP and no engine. A Hub is for any goroutine, a Reader
// for one; a follower is a goroutine that ends with its last reader.
package follow
