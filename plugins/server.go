package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/computclaw/airlock/plugins/proto"
)

// serverSide answers calls in the plugin process.
type serverSide struct {
	proto.UnimplementedSandboxServer
	impl Sandbox
	pool buffers

	mu    sync.Mutex
	kills map[string]context.CancelFunc // by the id of a box or check
	ended bool                          // by killAll
	wg    sync.WaitGroup                // boxes and checks under way
}

func newServerSide(impl Sandbox) *serverSide {
	return &serverSide{impl: impl, kills: map[string]context.CancelFunc{}}
}

func (s *serverSide) Check(ctx context.Context, r *proto.CheckRequest) (*proto.CheckResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.enter(r.GetId(), cancel); err != nil {
		return nil, err
	}
	defer s.leave(r.GetId())
	report, err := s.impl.Check(ctx, configFromProto(r))
	if err != nil {
		return nil, status.Error(codes.Unknown, err.Error())
	}
	return reportToProto(report), nil
}

func (s *serverSide) Run(stream proto.Sandbox_RunServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if first.GetSpec() == nil {
		return status.Error(codes.InvalidArgument, "the first message of a run is its spec")
	}
	spec := specFromProto(first.GetSpec())
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	if err := s.enter(spec.ID, cancel); err != nil {
		return err
	}
	defer s.leave(spec.ID)
	out := &streamWriter{stream: stream, pool: &s.pool}
	exit, err := s.impl.Run(ctx, spec, &streamReader{stream: stream}, out)
	out.close() // a backend's straggling write must not meet a finished stream
	if err != nil {
		return toRPC(err)
	}
	return stream.Send(&proto.RunDown{Message: &proto.RunDown_Exit{Exit: exitToProto(exit)}})
}

func (s *serverSide) Kill(_ context.Context, r *proto.KillRequest) (*proto.KillResponse, error) {
	s.mu.Lock()
	kill, found := s.kills[r.GetId()]
	s.mu.Unlock()
	if found {
		kill()
	}
	return &proto.KillResponse{Found: found}, nil
}

func (s *serverSide) Usage(ctx context.Context, r *proto.UsageRequest) (*proto.UsageResponse, error) {
	meter, ok := s.impl.(Meter)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this backend knows the usage of a box at its end only")
	}
	used, err := meter.Usage(ctx, r.GetId())
	if err != nil {
		return nil, status.Error(codes.Unknown, err.Error())
	}
	return usageToProto(used), nil
}

func (s *serverSide) enter(id string, kill context.CancelFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return status.Error(codes.Unavailable, "the plugin is ending")
	}
	if _, taken := s.kills[id]; taken {
		return status.Errorf(codes.InvalidArgument, "box %q is running already", id)
	}
	s.kills[id] = kill
	s.wg.Add(1)
	return nil
}

func (s *serverSide) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kills, id)
	s.wg.Done()
}

// killAll ends every box, those of checks included, and waits. No box opens after it.
func (s *serverSide) killAll() {
	s.mu.Lock()
	s.ended = true
	for _, kill := range s.kills {
		kill()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// streamReader is the stdin of a box. For back-pressure it takes the next message only after the
// last one is used up.
type streamReader struct {
	stream proto.Sandbox_RunServer
	rest   *mem.Reader // nil or empty when the next message is due
}

func (r *streamReader) Read(p []byte) (int, error) {
	if err := r.next(); err != nil {
		return 0, err // io.EOF when the host half-closed
	}
	return r.rest.Read(p)
}

// WriteTo implements io.WriterTo. Each message is one write; an idle reader holds no buffer.
func (r *streamReader) WriteTo(w io.Writer) (written int64, err error) {
	for {
		if err := r.next(); errors.Is(err, io.EOF) {
			return written, nil
		} else if err != nil {
			return written, err
		}
		n := r.rest.Remaining()
		if err := writeAll(w, r.rest); err != nil {
			return written, err
		}
		written, r.rest = written+int64(n), nil
	}
}

// next waits for bytes.
func (r *streamReader) next() error {
	for r.rest == nil || r.rest.Remaining() == 0 {
		other := &proto.RunUp{}
		m := incoming{tag: tagStdin, other: other}
		if err := r.stream.RecvMsg(&m); err != nil {
			return err
		}
		if other.GetSpec() != nil {
			return errors.New("a second spec")
		}
		if r.rest = m.bytes; r.rest == nil { // with fields that this plugin doesn't know, perhaps
			r.rest = mem.BufferSlice{mem.SliceBuffer(other.GetStdin())}.Reader()
		}
	}
	return nil
}

// streamWriter is the stdout of a box. Write blocks while the host doesn't read.
type streamWriter struct {
	stream proto.Sandbox_RunServer
	pool   *buffers
	mu     sync.Mutex
	closed bool
}

func (w *streamWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sent int
	for len(p) > 0 {
		if w.closed {
			return sent, io.ErrClosedPipe
		}
		n := min(len(p), Chunk)
		buf := w.pool.Get(n)
		copy(*buf, p[:n])
		if err := w.stream.SendMsg(&outgoing{tagStdout, buf, w.pool}); err != nil {
			return sent, fmt.Errorf("send stdout: %w", err)
		}
		sent += n
		p = p[n:]
	}
	return sent, nil
}

// close waits for a write in progress. That write ends: the host reads until it has the exit.
func (w *streamWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}
