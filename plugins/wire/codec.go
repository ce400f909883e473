package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxSmallFrame is the largest Header or ConnectReply, in bytes.
const MaxSmallFrame = 4 << 10

// ErrFrame is wrapped by errors of a peer that broke the protocol. The pipe's end is none.
var ErrFrame = errors.New("bad frame")

// Write sends v, one of this package's shapes, as one frame in one call. Callers serialize.
// Encode's errors come before anything is sent.
func Write(w io.Writer, v any) error {
	frame, err := Encode(v)
	if err != nil {
		return err
	}
	_, err = w.Write(frame)
	return err
}

// Encode returns v, one of the shapes of this package, as a frame. A value beyond MaxFrame bytes
// fails with an error wrapping ErrFrame.
func Encode(v any) ([]byte, error) {
	if m, ok := v.(Message); ok && m.Boot != nil {
		return encodeBoot(*m.Boot)
	}
	return encode(v)
}

// encodeBoot returns a frame with a Boot, and the parts that follow it.
func encodeBoot(b Boot) ([]byte, error) {
	b.RunnerSize, b.CodeSize = len(b.Runner), len(b.Code)
	frame, err := encode(Message{Boot: &b})
	if err == nil && max(b.RunnerSize, b.CodeSize) > MaxCode {
		err = fmt.Errorf("%w: boot with parts of %d and %d bytes", ErrFrame, b.RunnerSize, b.CodeSize)
	}
	return slices.Concat(frame, b.Runner, b.Code), err
}

func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	buf.Write(make([]byte, 4))
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode frame: %w", err)
	}
	frame := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	if len(frame)-4 > MaxFrame {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", ErrFrame, len(frame)-4, MaxFrame)
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame, nil
}

// ReadMessage reads a Message with exactly one field set. It returns io.EOF if r ends between
// frames.
func ReadMessage(r io.Reader) (Message, error) {
	var m Message
	if err := read(r, MaxFrame, &m); err != nil {
		return Message{}, err
	}
	if n := m.fields(); n != 1 {
		return Message{}, fmt.Errorf("%w: %d messages in one", ErrFrame, n)
	}
	if m.Boot != nil {
		if err := m.Boot.readParts(r); err != nil {
			return Message{}, err
		}
	}
	return m, nil
}

// readParts takes what follows a Boot.
func (b *Boot) readParts(r io.Reader) (err error) {
	if min(b.RunnerSize, b.CodeSize) < 0 || max(b.RunnerSize, b.CodeSize) > MaxCode {
		return fmt.Errorf("%w: boot with parts of %d and %d bytes", ErrFrame, b.RunnerSize, b.CodeSize)
	}
	if b.Runner, err = take(r, int64(b.RunnerSize)); err == nil {
		b.Code, err = take(r, int64(b.CodeSize))
	}
	return err
}

// ReadHeader reads the frame that begins a stream.
func ReadHeader(r io.Reader) (Header, error) {
	var h Header
	err := read(r, MaxSmallFrame, &h)
	return h, err
}

// ReadConnectReply reads the frame that answers a connect header.
func ReadConnectReply(r io.Reader) (ConnectReply, error) {
	var c ConnectReply
	err := read(r, MaxSmallFrame, &c)
	return c, err
}

// read decodes one frame of at most limit bytes strictly into v. Memory grows with received bytes,
// not with the announced length.
func read(r io.Reader, limit int64, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > limit {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrFrame, size, limit)
	}
	body, err := take(r, size)
	if err != nil {
		return err
	}
	return decode(body, v)
}

// piece is how much is made room for before it has arrived.
const piece = 64 << 10

// take reads size bytes.
func take(r io.Reader, size int64) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(int(min(size, piece)) + bytes.MinRead) // the buffer wants that much at the end too
	_, err := io.CopyN(&body, r, size)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return body.Bytes(), err
}

// decode refuses unknown fields, anything after the value, and null.
func decode(body []byte, v any) error {
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return fmt.Errorf("%w: not an object", ErrFrame)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrFrame, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one value", ErrFrame)
	}
	return nil
}

// fields counts the messages that are set.
func (m *Message) fields() int {
	n := 0
	for _, set := range []bool{
		m.Ready != nil, m.LLM != nil, m.Result != nil, m.Failed != nil, m.Exited != nil, m.Frozen != nil,
		m.Abort != nil,
		m.Asked != nil,
		m.Boot != nil, m.Start != nil, m.Reply != nil, m.Freeze != nil, m.Kill != nil, m.Stop != nil,
	} {
		if set {
			n++
		}
	}
	return n
}
