//go:build !race && !long

package egress

// bulk is the size of a large body, in bytes.
const bulk = 1 << 30
