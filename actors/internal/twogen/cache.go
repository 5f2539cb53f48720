package twogen

// Cache is a cache of two generations: when the young one is full it becomes the old one, and
// what was not used since is evicted. One goroutine.
type Cache[K comparable, V any] struct {
	limit      int         // of what a generation weighs
	weigh      func(V) int // of values that do not change; nil: each weighs 1
	weight     int         // of the young generation
	young, old map[K]V
}

// New is an empty cache of at most twice limit keys.
func New[K comparable, V any](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, young: map[K]V{}}
}

// NewWeighed is an empty cache whose values weigh at most twice limit, and one value more.
func NewWeighed[K comparable, V any](limit int, weigh func(V) int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, weigh: weigh, young: map[K]V{}}
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
	if r.full() {
		r.old, r.young = r.young, make(map[K]V, len(r.young)/4)
		r.weight = 0
	}
	r.unweigh(k)
	if r.weigh != nil {
		r.weight += r.weigh(v)
	}
	r.young[k] = v
}

// Drop removes a key.
func (r *Cache[K, V]) Drop(k K) {
	r.unweigh(k)
	delete(r.young, k)
	delete(r.old, k)
}

func (r *Cache[K, V]) full() bool {
	if r.weigh == nil {
		return len(r.young) >= r.limit
	}
	return r.weight >= r.limit
}

// unweigh takes the weight of a key's value off.
func (r *Cache[K, V]) unweigh(k K) {
	if r.weigh == nil {
		return
	}
	if v, ok := r.young[k]; ok {
		r.weight -= r.weigh(v)
	}
}
