package main

// Key is about access keys.
type Key struct {
	Create KeyCreate `cmd:"" help:"Make a key of an application. It is shown this once." example:"ovation key create --application 1; ovation key create --application 1 --public"`
	Revoke KeyRevoke `cmd:"" help:"End a key." example:"ovation key revoke 4"`
	List   KeyList   `cmd:"" help:"List keys, each by its first characters." example:"ovation key list"`
}
