// Package size reads and prints numbers of bytes as operators write them: 512MiB, 2GiB, 10GB.
package size
