//go:build !linux

package supervisor

import "syscall"

// attributes of a process: Ctrl-C does not reach it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
