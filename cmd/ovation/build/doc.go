// Package build is what the binary was built from: as the toolchain notes it, or as the linker was told, which
// outranks it, since outside git the toolchain knows nothing.
package build
