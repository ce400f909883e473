package plugins

import (
	"encoding/binary"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of all other messages
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// codec encodes and decodes messages of stdio without copying their bytes. It leaves all others to
// protobuf. On the wire both are protobuf: a plugin may use either.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

const lengthDelimited = 2

// Tags of the fields that carry a box's stdio: RunUp.stdin and RunDown.stdout.
const (
	tagStdin  = 2<<3 | lengthDelimited
	tagStdout = 1<<3 | lengthDelimited
)

// outgoing is a message with bytes in the field of that tag. Sending it owns the bytes and returns
// the buffer to its pool.
type outgoing struct {
	tag   byte
	bytes *[]byte
	pool  mem.BufferPool
}

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(*outgoing)
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	head := binary.AppendUvarint([]byte{m.tag}, uint64(len(*m.bytes)))
	return mem.BufferSlice{mem.SliceBuffer(head), mem.NewBuffer(m.bytes, m.pool)}, nil
}

// incoming is a message with only bytes in the field of that tag, or another one.
type incoming struct {
	tag   byte
	bytes *mem.Reader // to be closed; nil if it is another message
	other proto.Message
}

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*incoming)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	if m.bytes = bytesIn(data, m.tag); m.bytes != nil {
		return nil
	}
	return c.CodecV2.Unmarshal(data, m.other)
}

// bytesIn returns the bytes of a message that has only a field of that tag, or nil.
func bytesIn(data mem.BufferSlice, tag byte) *mem.Reader {
	r := data.Reader()
	first, err := r.ReadByte()
	if err == nil && first == tag {
		if length, err := binary.ReadUvarint(r); err == nil && length == uint64(r.Remaining()) {
			return r
		}
	}
	_ = r.Close()
	return nil
}
