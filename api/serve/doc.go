// Package serve carries a request through the contract's checks, to an operation's handler
// and back.
//
//	request ─► route ─► authenticate ─► limits ─► body ─► public key ─► request id ─► bind
//	            5 6         1 2         8 9 12    14 17       15            4          3 4
//	        ─► page, scope, wait_for, refresh ─► response cache ─► memory ─► handler ─► answer
//	              4      15    4 11     11                          8 11     5 16 15 7…
//
// The numbers are the codes of the contract, in the order it checks: a request with several
// faults is refused for the one that comes first in the picture. steps.go is all of it: the list of the steps that
// an exchange takes, and below it each of them. serving.go takes them, and counts and logs what became of the request;
// the other files are entered where a step needs them: body.go reads a body and content.go parses it, wait.go
// has wait_for and refresh, memory.go what each step holds (package limit); answer.go makes the answer with its headers (headers.go), reply.go writes it in the
// coding that the client prefers, access.go its line in the access log.
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
// begun with its first part (streaming.go): an error after it cuts the connection. No
// parameter, key or token is logged. What a client is slow at holds no memory that others need: a body
// is read, a position is waited for and an answer is written each in a pool of its own.
//
// A Server may be called by any goroutine and keeps no state but counters, the buckets of accounts, the
// pools of memory and the response cache; a Request belongs to the
// goroutine that serves it.
package serve
