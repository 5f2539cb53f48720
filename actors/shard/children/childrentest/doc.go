// Package childrentest gives tests the children of a shard without a shard.
package childrentest
