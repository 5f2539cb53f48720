// Package oci makes the image of a node: one index of one image for each architecture, as an OCI layout.
//
//	/ovation          the program, static
//	/etc/passwd       the user 65532, and its group in /etc/group
//	/data, /tmp       what that user may write; all else may be read-only
//
// There is no base image, no shell and no other program. The same programs give the same digest on any machine.
package oci
