package twogen

// Cache is a cache of two generations: when the young one is full it becomes the old one, and
// what was not used since is evicted. One goroutine.
type Cache[K comparable, V any] struct {
	limit      int
	young, old map[K]V
}

// New is an empty cache of at most twice limit keys.
func New[K comparable, V any](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, young: map[K]V{}}
}

// Get is the value of a key, and counts as a use of it.
func (r *Cache[K, V]) Get(k K) (V, bool) {
	if v, ok := r.young[k]; ok {
		return v, true
	}
	v, ok := r.old[k]
	if ok {
		r.Put(k, v)
	}
	return v, ok
}

// Peek is the value of a key that was used in this generation, zero for any other. It is no
// use of it.
func (r *Cache[K, V]) Peek(k K) V { return r.young[k] }

// Put sets the value of a key.
func (r *Cache[K, V]) Put(k K, v V) {
	if len(r.young) >= r.limit {
		r.old, r.young = r.young, make(map[K]V, r.limit/4)
	}
	r.young[k] = v
}

// Drop removes a key.
func (r *Cache[K, V]) Drop(k K) {
	delete(r.young, k)
	delete(r.old, k)
}
