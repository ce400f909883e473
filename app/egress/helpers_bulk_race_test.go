//go:build race && !long

package egress

// bulk is the size of a large body, in bytes. The race detector makes every byte slow.
const bulk = 96 << 20
