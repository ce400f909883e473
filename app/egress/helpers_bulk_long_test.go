//go:build long

package egress

// bulk is the size of a large body, in bytes: what one execution may move in all.
const bulk = 10 << 30
