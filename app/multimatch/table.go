package multimatch

// table is a hash map that only grows to the size it is made for. Value 0 means that a key is not
// there. Its keys are chosen by people and not by scripts, so nobody can make it slow.
type table[K uint32 | uint64] struct {
	keys   []K
	values []uint32
}

// newTable returns a table for so many keys, of which at least half stays free.
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

// find returns where a key is, or where it would be.
func (t table[K]) find(key K) int {
	mask := len(t.keys) - 1
	i := int(uint64(key)*0x9E3779B97F4A7C15>>24) & mask
	for t.values[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}
