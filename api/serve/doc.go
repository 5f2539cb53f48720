// Package serve carries a request through the contract's checks, to an operation's handler
// and back.
//
//	request ─► route ─► authenticate ─► limits ─► body ─► public key ─► request id ─► bind
//	        ─► page, scope, wait_for, refresh ─► response cache ─► memory ─► handler ─► answer
//
// The contract has an order: a request with several faults is refused for the one that comes first. steps.go
// has it, as the list of the steps that an exchange takes, each with its codes; the larger steps are in files of
// their own:
//
//	serving.go    takes the steps, counts and logs what became of the request (access.go)
//	exchange.go   a request on its way through the steps; deadline.go bounds its time, memory.go what it holds
//	body.go       reads a body, content.go parses it, many.go its records
//	wait.go       wait_for and refresh; journal.go the journal that they are of
//	renewal.go    reads the catalog, or a member's log, to its end before something is unknown or shown without a name
//	answer.go     makes the answer with its headers (headers.go); reply.go writes it in the coding that the client
//	              prefers, stream.go while it is made; faults.go says which errors of the engine are the client's
//	events.go     sends an answer that goes on, as server-sent events
//	spans.go      the spans of a request that is traced
//
// Package auth decides who calls, what the caller may do and which pages may read the answer. A
// member's token is verified with the key, also where the operation takes none; whose it is
// is judged with the scope, after the parameters. An Option marks
// operations that take a token (WithBearer), or that a public key may use (Public,
// PublicWithBearer). Package page continues a list or an explanation by its cursor; explanation.go shows the actions
// of one. Package pages holds what is given without a key.
//
// An Operation is a row of the program's table: method, path, input struct, handler. A
// handler is func(ctx, *Request, *In) (Out, error): In defines how parameters are read, Out is
// a shape of package wire. What a handler reads it reads through the Request, whose engine
// records it for the response cache (package poll); what the answer carries beside its body
// is in the Response. One place writes answers (reply.go) and one table turns errors into
// statuses (package problem).
//
// An answer is not begun before its question is whole, so no answer is half an error. A Stream is
// begun with its first part (stream.go): an error after it cuts the connection. Events tell the client of an error by
// one more event. No
// parameter, key or token is logged. What a client is slow at holds no memory that others need: a body
// is read, a position is waited for and an answer is written each in a pool of its own.
//
// A Server may be called by any goroutine and keeps no state but counters, the buckets of accounts, the
// pools of memory and the response cache; a Request belongs to the
// goroutine that serves it.
package serve
