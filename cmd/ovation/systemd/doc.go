// Package systemd tells systemd how a node is, as sd_notify(3) says: Type=notify, WatchdogSec= and the text of
// systemctl status.
//
//	while it starts   STATUS= why it is not ready, EXTEND_TIMEOUT_USEC=, so that a long replay is no failed start
//	once it is ready  READY=1, and STATUS= whenever it is another one
//	each time         WATCHDOG=1, within half of WATCHDOG_USEC
//	when it stops     STOPPING=1, EXTEND_TIMEOUT_USEC= for as long as a stop may take
//
// A process that systemd did not start has no socket, and its Manager does nothing. One goroutine calls it.
package systemd
