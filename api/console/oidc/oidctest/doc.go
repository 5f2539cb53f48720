// Package oidctest is a provider of OpenID Connect that signs everybody in at once, for tests.
package oidctest
