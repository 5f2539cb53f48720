package twogen

// Cache is a cache of two generations: when the young one is full it becomes the old one, and
// what was not used since is evicted. One goroutine.
type Cache[K comparable, V any] struct {
	limit      int         // of what a generation weighs
	weigh      func(V) int // of values that do not change
	young, old generation[K, V]
}

// generation is keys with their values, and what these weigh.
type generation[K comparable, V any] struct {
	values map[K]V
	weight int
}

// New is an empty cache of at most twice limit keys.
func New[K comparable, V any](limit int) *Cache[K, V] {
	return NewWeighed[K](limit, func(V) int { return 1 })
}

// NewWeighed is an empty cache whose values weigh at most twice limit, unless one alone weighs more.
func NewWeighed[K comparable, V any](limit int, weigh func(V) int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, weigh: weigh, young: generation[K, V]{values: map[K]V{}}}
}

// Get is the value of a key, and counts as a use of it.
func (c *Cache[K, V]) Get(k K) (V, bool) {
	if v, ok := c.young.values[k]; ok {
		return v, true
	}
	v, ok := c.old.values[k]
	if ok {
		c.Put(k, v)
	}
	return v, ok
}

// Peek is the value of a key that was used in this generation, zero for any other. It is no
// use of it.
func (c *Cache[K, V]) Peek(k K) V { return c.young.values[k] }

// Put sets the value of a key.
func (c *Cache[K, V]) Put(k K, v V) {
	c.Drop(k)
	w := c.weigh(v)
	if c.young.weight+w > c.limit && len(c.young.values) > 0 {
		c.old = c.young
		c.young = generation[K, V]{values: make(map[K]V, len(c.old.values)/4)}
	}
	c.young.values[k] = v
	c.young.weight += w
}

// Drop removes a key.
func (c *Cache[K, V]) Drop(k K) {
	c.drop(&c.young, k)
	c.drop(&c.old, k)
}

func (c *Cache[K, V]) drop(g *generation[K, V], k K) {
	if v, ok := g.values[k]; ok {
		g.weight -= c.weigh(v)
		delete(g.values, k)
	}
}

// DropFunc removes the keys for which f is true.
func (c *Cache[K, V]) DropFunc(f func(K) bool) {
	for _, g := range [...]*generation[K, V]{&c.young, &c.old} {
		for k := range g.values {
			if f(k) {
				c.drop(g, k)
			}
		}
	}
}

// Weight is what all values weigh.
func (c *Cache[K, V]) Weight() int { return c.young.weight + c.old.weight }

// Len is the number of keys.
func (c *Cache[K, V]) Len() int { return len(c.young.values) + len(c.old.values) }
