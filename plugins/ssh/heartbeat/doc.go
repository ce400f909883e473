// Package heartbeat makes a connection that knows whether it is alive from two byte streams.
//
// TCP notices a pulled cable after minutes, or never if nothing is sent. So each side sends an
// empty frame every Beat, and a side that has received no byte for Silence closes its streams.
// Bytes of any kind are a sign of life: a slow link that is busy with a large transfer is not taken
// for a dead one.
//
// A frame is a 4-byte big-endian length, at most MaxFrame, and that many bytes; length 0 is the
// beat.
package heartbeat
