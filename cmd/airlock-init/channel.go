package main

import (
	"os"
	"sync"

	"github.com/computclaw/airlock/plugins/wire"
)

// queued bounds the messages for a runner that doesn't read. A sound one reads one per question.
const queued = 256

// channel is our end of the runner's socketpair, which the script holds too. The first improper
// message closes it, which hurts only the script.
type channel struct {
	file   *os.File
	out    chan wire.Message
	closed chan struct{} // nothing more will be received
	once   sync.Once
}

// newChannel calls receive for each message until false or the peer's close.
func newChannel(file *os.File, receive func(wire.Message) bool) *channel {
	c := &channel{file: file, out: make(chan wire.Message, queued), closed: make(chan struct{})}
	go c.receiveAll(receive)
	go c.sendAll()
	return c
}

func (c *channel) receiveAll(receive func(wire.Message) bool) {
	defer c.close()
	for {
		m, err := wire.ReadMessage(c.file)
		if err != nil || !receive(m) {
			return
		}
	}
}

func (c *channel) sendAll() {
	for {
		select {
		case m := <-c.out:
			if wire.Write(c.file, m) != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

// send never blocks: the engine's messages must not wait for a script.
func (c *channel) send(m wire.Message) {
	select {
	case c.out <- m:
	default:
		c.close()
	}
}

func (c *channel) close() {
	c.once.Do(func() {
		c.file.Close()
		close(c.closed)
	})
}
