package main

// NodeCmd is about the nodes of the installation.
type NodeCmd struct {
	List   NodeList   `cmd:"" help:"List the nodes: alive or away, behind by how much, which duties, what is wrong, what to do." example:"ovation node list"`
	Remove NodeRemove `cmd:"" help:"Take a node off the list for good. Its id is not listed again." example:"ovation node remove 9f86d081884c7d659a2feaa0c55ad015"`
}
