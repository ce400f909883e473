// Package heartbeat makes a connection that detects a dead peer from two byte streams.
//
// TCP notices a cut link after minutes, or never without traffic. So each side sends an empty frame
// every Beat, and closes its streams after Silence without a byte. Any byte counts, so a slow link
// with a large transfer stays alive.
//
// A frame is a 4-byte big-endian length, at most MaxFrame, and that many bytes; length 0 is the
// beat.
package heartbeat
