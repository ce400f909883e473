package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func frame(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestReadMessageRefuses(t *testing.T) {
	for name, in := range map[string][]byte{
		"empty body":       frame(""),
		"empty object":     frame("{}"),
		"null":             frame("null"),
		"null message":     frame(`{"kill":null}`),
		"array":            frame("[]"),
		"two messages":     frame(`{"kill":{},"freeze":{"on":true}}`),
		"unknown message":  frame(`{"reboot":{}}`),
		"unknown field":    frame(`{"exited":{"code":1,"reason":"oom"}}`),
		"wrong type":       frame(`{"exited":{"code":"1"}}`),
		"trailing value":   frame(`{"kill":{}} {}`),
		"trailing garbage": frame(`{"kill":{}}x`),
		"not JSON":         frame("\xff\xfe"),
		"bad base64":       frame(`{"result":{"data":"!"}}`),
		"negative part":    frame(`{"boot":{"runner":-1}}`),
		"huge part":        frame(`{"boot":{"runner":0,"code":1048577}}`),
		"too long":         binary.BigEndian.AppendUint32(nil, MaxFrame+1),
		"far too long":     binary.BigEndian.AppendUint32(nil, math.MaxUint32),
	} {
		t.Run(name, func(t *testing.T) {
			if m, err := ReadMessage(bytes.NewReader(in)); !errors.Is(err, ErrFrame) {
				t.Errorf("got %+v, %v", m, err)
			}
		})
	}
}

func TestReadMessageEnds(t *testing.T) {
	whole := frame(`{"kill":{}}`)
	for n := range whole {
		want := io.ErrUnexpectedEOF
		if n == 0 {
			want = io.EOF
		}
		if _, err := ReadMessage(bytes.NewReader(whole[:n])); !errors.Is(err, want) {
			t.Errorf("after %d bytes: %v, want %v", n, err, want)
		}
	}
}

// TestBoot checks that the parts follow the message unchanged, and that the next message is
// readable.
func TestBoot(t *testing.T) {
	boot := Boot{Runner: bytes.Repeat([]byte("runner\n"), 20_000), Code: []byte{0, 255, '"', '{'}, CA: []byte("ca"),
		Compile: true}
	var sent bytes.Buffer
	for _, m := range []Message{{Boot: &boot}, {Boot: &Boot{}}, {Kill: &Kill{}}} {
		if err := Write(&sent, m); err != nil {
			t.Fatal(err)
		}
	}
	whole := bytes.Clone(sent.Bytes())
	want := boot
	want.RunnerSize, want.CodeSize = 140_000, 4
	got, err := ReadMessage(&sent)
	if diff := cmp.Diff(&want, got.Boot); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
	if m, err := ReadMessage(&sent); err != nil || m.Boot == nil || len(m.Boot.Runner)+len(m.Boot.Code) != 0 {
		t.Errorf("%+v %v", m, err)
	}
	if m, err := ReadMessage(&sent); err != nil || m.Kill == nil {
		t.Errorf("%+v %v", m, err)
	}
	for _, n := range []int{100, 1000, 140_050} {
		if _, err := ReadMessage(bytes.NewReader(whole[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	if _, err := Encode(Message{Boot: &Boot{Code: make([]byte, MaxCode+1)}}); !errors.Is(err, ErrFrame) {
		t.Error(err)
	}
}

func TestSmallFramesAreSmall(t *testing.T) {
	in := frame(`{"kind":"connect","host":"` + strings.Repeat("a", MaxSmallFrame) + `"}`)
	if _, err := ReadHeader(bytes.NewReader(in)); !errors.Is(err, ErrFrame) {
		t.Errorf("header: %v", err)
	}
	if _, err := ReadConnectReply(bytes.NewReader(in)); !errors.Is(err, ErrFrame) {
		t.Errorf("reply: %v", err)
	}
}

func TestWriteRefusesLongFrames(t *testing.T) {
	var out bytes.Buffer
	err := Write(&out, Message{LLM: &LLMRequest{Prompt: strings.Repeat("x", MaxFrame)}})
	if !errors.Is(err, ErrFrame) || out.Len() != 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

type countingWriter struct {
	bytes.Buffer
	calls int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.calls++
	return w.Buffer.Write(p)
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Message{Start: &Start{
			Script:    rapid.String().Draw(t, "script"),
			Settings:  rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "settings"),
			Inputs:    rapid.SliceOfN(rapid.Byte(), 1, -1).Draw(t, "inputs"),
			Hosts:     []Host{{Name: rapid.String().Draw(t, "host"), Ports: []int{rapid.Int().Draw(t, "port")}}},
			MaxOutput: rapid.Int64().Draw(t, "max"),
		}}
		var w countingWriter
		if err := Write(&w, want); err != nil {
			t.Fatal(err)
		}
		if w.calls != 1 {
			t.Fatalf("%d writes", w.calls)
		}
		got, err := ReadMessage(&w)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if w.Len() != 0 {
			t.Fatalf("%d bytes left", w.Len())
		}
	})
}

func FuzzReadMessage(f *testing.F) {
	f.Add(frame(`{"kill":{}}`))
	f.Add(frame(`{"result":{"data":"MQ=="}}`))
	f.Add(frame(`{"llm":{"id":"1","prompt":"\ud800","model":"default"}}`))
	f.Add(frame(`{"EXITED":{"Code":-1,"signal":9}}`))
	f.Add([]byte{0, 0, 0, 200, '{'})
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := ReadMessage(bytes.NewReader(in))
		if err != nil {
			return
		}
		if m.fields() != 1 {
			t.Fatalf("%d fields", m.fields())
		}
		var again bytes.Buffer
		if err := Write(&again, m); err != nil {
			t.Fatal(err)
		}
		back, err := ReadMessage(&again)
		if err != nil {
			t.Fatalf("own frame refused: %v", err)
		}
		if diff := cmp.Diff(m, back); diff != "" {
			t.Fatal(diff)
		}
	})
}
