package tuning

import "golang.org/x/sys/unix"

// installed is what the machine has, in bytes, as the kernel says it.
func installed() (int64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, err
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit)), nil
}
