package main

// Key is about access keys.
type Key struct {
	Create KeyCreate `cmd:"" help:"Make a key of an application. It is shown this once."`
	Revoke KeyRevoke `cmd:"" help:"End a key."`
	List   KeyList   `cmd:"" help:"List keys by their beginnings."`
}
