// Package pipe is a two-way in-process connection with bounded buffers, between a box's relay and
// the engine.
//
// Unlike net.Pipe it buffers, ends each direction by itself, as TCP does, and copies to other
// streams directly. A direction's buffer is made for the first bytes, by their size, and holds at
// most BufferSize. So waiting boxes take little memory.
//
// Unix socket pairs are slower for small exchanges and take two descriptors.
package pipe
