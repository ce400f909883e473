package multimatch

// table is a hash map of fixed capacity. Value 0 means absent. People choose its keys, so scripts
// can't make it slow.
type table[K uint32 | uint64] struct {
	keys   []K
	values []uint32
}

// newTable returns a table for n keys, at least half empty.
func newTable[K uint32 | uint64](n int) table[K] {
	size := 8
	for size < 2*(n+1) {
		size *= 2
	}
	return table[K]{make([]K, size), make([]uint32, size)}
}

func (t table[K]) get(key K) uint32 {
	i := t.find(key)
	return t.values[i]
}

func (t table[K]) put(key K, value uint32) {
	i := t.find(key)
	t.keys[i], t.values[i] = key, value
}

func (t table[K]) find(key K) int {
	mask := len(t.keys) - 1
	i := int(uint64(key)*0x9E3779B97F4A7C15>>24) & mask
	for t.values[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}
