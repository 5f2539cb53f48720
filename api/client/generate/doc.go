// Command generate writes the operations of package client: a Go type for each row of the table of
// operations, with the parameters and the answer that the row declares. It runs in the folder of the
// client, by go generate ./api/client.
package main
