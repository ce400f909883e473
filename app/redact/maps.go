package redact

// map32 and map64 are hash maps that only grow to the size they are made for. Value 0 means that a key is not there. Their keys are chosen by
// people and not by scripts, so nobody can make them slow.
type map32 struct {
	keys   []uint32
	values []uint32
}

func newMap32(n int) map32 {
	size := tableSize(n)
	return map32{make([]uint32, size), make([]uint32, size)}
}

func (m map32) get(key uint32) uint32 {
	mask := uint32(len(m.keys) - 1)
	for i := key * hashFactor >> 7 & mask; ; i = (i + 1) & mask {
		if m.values[i] == 0 || m.keys[i] == key {
			return m.values[i]
		}
	}
}

func (m map32) put(key, value uint32) {
	mask := uint32(len(m.keys) - 1)
	i := key * hashFactor >> 7 & mask
	for m.values[i] != 0 {
		i = (i + 1) & mask
	}
	m.keys[i], m.values[i] = key, value
}

type map64 struct {
	keys   []uint64
	values []uint32
}

func newMap64(n int) map64 {
	size := tableSize(n)
	return map64{make([]uint64, size), make([]uint32, size)}
}

func (m map64) get(key uint64) uint32 {
	mask := uint64(len(m.keys) - 1)
	for i := key * 0x9E3779B97F4A7C15 >> 24 & mask; ; i = (i + 1) & mask {
		if m.values[i] == 0 || m.keys[i] == key {
			return m.values[i]
		}
	}
}

func (m map64) put(key uint64, value uint32) {
	mask := uint64(len(m.keys) - 1)
	i := key * 0x9E3779B97F4A7C15 >> 24 & mask
	for m.values[i] != 0 {
		i = (i + 1) & mask
	}
	m.keys[i], m.values[i] = key, value
}

// tableSize leaves at least half of a table free.
func tableSize(n int) int {
	size := 8
	for size < 2*(n+1) {
		size *= 2
	}
	return size
}
