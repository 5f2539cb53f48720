// Package bundle makes an archive of a node for whoever supports it.
//
//	parts (version, status, metrics, configuration, log) ──► their rules ──► Scrub ──► tar.gz
//
// No secret and no personal datum is in it. Each part has a rule that leaves out what could hold one: StatusRule the
// ids of members and the keys that a verification names, LogRule every line that is not the node's own. Scrub then
// takes out of all of them what looks like an access key, a token, an address of a person or a password in a URL,
// and the secrets that the caller knows. A part that cannot be read is a line in errors.txt: a node that does not
// answer is what a bundle is for.
package bundle
