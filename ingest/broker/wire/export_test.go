package wire

// Busy counts the connections whose request is being answered.
func Busy(b *Broker) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for c := range b.conns {
		if c.busy.Load() {
			n++
		}
	}
	return n
}
