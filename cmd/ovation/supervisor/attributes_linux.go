package supervisor

import "syscall"

// attributes of a process: it dies with its supervisor, and Ctrl-C does not reach it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
