// Package wire defines the messages between engine and box over the box's stdin and stdout. It has
// the shapes, their encoding, and the multiplexer's settings.
//
// The pipe carries yamux, with the engine as client and airlock-init as server; either side opens
// streams. Every stream begins with one Header frame that names its kind. A frame is a 4-byte
// big-endian length and that many bytes of JSON, at most MaxFrame of them. After the header a
// control stream carries frames both ways; stdout, stderr and connect streams carry raw bytes.
//
// Inside the box the same frames (Message only) travel between airlock-init and the Python runner
// over a socketpair: Ready, LLM, Result and Failed from the runner, Start and Reply to it.
//
// Nothing from a box is trusted: the engine decodes strictly, caps everything and decides again.
package wire
