// Package sealed keeps values in a browser that it can neither read nor change (AES-256-GCM).
//
// The key is derived from the installation's, so that each node opens what another one sealed, and from a purpose: what is sealed for one
// purpose opens for no other.
package sealed
