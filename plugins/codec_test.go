package plugins

import (
	"bytes"
	"io"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	protobuf "google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/computclaw/airlock/plugins/proto"
)

func TestCodecWritesProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")
		for tag, message := range map[byte]interface {
			protobuf.Message
			bytesField
		}{tagStdin: up{&proto.RunUp{}}, tagStdout: down{&proto.RunDown{}}} {
			var pool buffers
			buf := pool.Get(len(want))
			copy(*buf, want)
			text, err := newCodec().Marshal(&outgoing{tag, buf, &pool})
			if err != nil {
				t.Fatal(err)
			}
			if err := protobuf.Unmarshal(text.Materialize(), message.inner()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(message.got(), want) {
				t.Fatalf("tag %d: %x became %x", tag, want, message.got())
			}
		}
	})
}

type bytesField interface {
	got() []byte
	inner() protobuf.Message
}

type up struct{ *proto.RunUp }

func (u up) got() []byte             { return u.GetStdin() }
func (u up) inner() protobuf.Message { return u.RunUp }

type down struct{ *proto.RunDown }

func (d down) got() []byte             { return d.GetStdout() }
func (d down) inner() protobuf.Message { return d.RunDown }

// The codec accepts and refuses what protobuf does, in any buffers and with any other fields.
func TestCodecReadsProtobuf(t *testing.T) {
	stdout, err := protobuf.Marshal(&proto.RunDown{Message: &proto.RunDown_Stdout{Stdout: []byte("printed")}})
	if err != nil {
		t.Fatal(err)
	}
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 7)
	for name, c := range map[string]struct {
		message []byte
		want    string
		exit    bool
		refused bool
	}{
		"bytes":                    {message: stdout, want: "printed"},
		"bytes and a field beyond": {message: append(bytes.Clone(stdout), unknown...), want: "printed"},
		"a field before the bytes": {message: append(bytes.Clone(unknown), stdout...), want: "printed"},
		"nothing":                  {},
		"an exit": {message: mustMarshal(t,
			&proto.RunDown{Message: &proto.RunDown_Exit{Exit: &proto.Exit{Code: 3}}}), exit: true},
		"cut short": {message: stdout[:len(stdout)-1], refused: true},
		"a length without end": {message: []byte{tagStdout, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0xff, 1},
			refused: true},
		"a tag alone": {message: []byte{tagStdout}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			for cut := range len(c.message) + 1 {
				other := &proto.RunDown{}
				m := incoming{tag: tagStdout, other: other}
				err := newCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(c.message[:cut]),
					mem.SliceBuffer(c.message[cut:])}, &m)
				if c.refused != (err != nil) {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				got := other.GetStdout()
				if m.bytes != nil {
					got, _ = io.ReadAll(m.bytes)
				}
				if string(got) != c.want || (other.GetExit() != nil) != c.exit {
					t.Errorf("cut at %d: %q, %v", cut, got, other)
				}
			}
		})
	}
}

func mustMarshal(t *testing.T, m protobuf.Message) []byte {
	t.Helper()
	text, err := protobuf.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestBuffers(t *testing.T) {
	var pool buffers
	for _, n := range []int{0, 1, 4 << 10, 4<<10 + 1, Chunk, messageBuffer, messageBuffer + 1, maxMessage} {
		for range 2 {
			b := pool.Get(n)
			if len(*b) != n {
				t.Fatalf("%d bytes, not %d", len(*b), n)
			}
			*b = (*b)[:n/2] // as used in part
			pool.Put(b)
		}
	}
}
