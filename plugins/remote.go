package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/computclaw/airlock/plugins/proto"
)

// killTime bounds how long a plugin may take to end a box or check. Its call is torn down
// afterwards.
const killTime = 30 * time.Second

// noticeTime bounds how long a plugin may not know of a check sent to it. One with an older library
// never does.
const noticeTime = time.Second

// remote is a Sandbox in another process, and a Meter if that is one.
type remote struct {
	rpc    proto.SandboxClient
	pool   *buffers
	checks atomic.Uint64 // so far
}

func newRemote(conn grpc.ClientConnInterface) *remote {
	return &remote{rpc: proto.NewSandboxClient(conn), pool: &buffers{}}
}

// Check implements Sandbox. The call outlives ctx, since its boxes have to be gone when it returns.
// The plugin doesn't get the deadline: its own timer could fire first and look like a broken
// backend.
func (r *remote) Check(ctx context.Context, cfg Config) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	call, tearDown := context.WithCancel(context.WithoutCancel(ctx))
	defer tearDown()
	id := fmt.Sprintf("_check-%d", r.checks.Add(1))
	stop := context.AfterFunc(ctx, func() { r.kill(call, id, noticeTime, tearDown) })
	defer stop()
	response, err := r.rpc.Check(call, configToProto(cfg, id))
	if err != nil {
		if ctx.Err() != nil {
			return Report{}, ctx.Err()
		}
		return Report{}, fromRPC(err)
	}
	return reportFromProto(response), nil
}

func (r *remote) Run(ctx context.Context, spec Spec, stdin io.Reader, stdout io.Writer) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1, Signal: 9, Reason: ReasonKilled}, nil
	}
	// The stream outlives ctx: the exit of a killed box still arrives on it.
	streamCtx, tearDown := context.WithCancel(context.WithoutCancel(ctx))
	defer tearDown()
	stream, err := r.rpc.Run(streamCtx)
	if err != nil {
		return Exit{}, fromRPC(err)
	}
	if err := stream.Send(&proto.RunUp{Message: &proto.RunUp_Spec{Spec: specToProto(spec)}}); err != nil {
		_, err = stream.Recv() // the reason is there
		return Exit{}, fromRPC(err)
	}
	// dead ends when the box should: with ctx, or when its output can't be delivered.
	dead, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	stop := context.AfterFunc(dead, func() { r.kill(streamCtx, spec.ID, killTime, tearDown) })
	defer stop()
	go sendStdin(stream, stdin, r.pool)
	exit, err := receive(dead, kill, stream, stdout)
	if cause := context.Cause(dead); err == nil && cause != nil && ctx.Err() == nil {
		return exit, cause
	}
	return exit, err
}

// Usage implements Meter.
func (r *remote) Usage(ctx context.Context, id string) (Usage, error) {
	response, err := r.rpc.Usage(ctx, &proto.UsageRequest{Id: id})
	if err != nil {
		return Usage{}, fromRPC(err)
	}
	return usageFromProto(response), nil
}

// kill asks for the end of a box or check. It tears the call down if the plugin doesn't answer or
// doesn't know the id.
func (r *remote) kill(ctx context.Context, id string, unknown time.Duration, tearDown func()) {
	patience := time.AfterFunc(killTime, tearDown)
	context.AfterFunc(ctx, func() { patience.Stop() }) // the stream ends first, if all goes well
	for began := time.Now(); time.Since(began) < unknown; {
		// It may not be registered yet: the first message and this call race.
		response, err := r.rpc.Kill(ctx, &proto.KillRequest{Id: id})
		if err != nil || response.GetFound() {
			return
		}
		select {
		case <-ctx.Done(): // it has ended by itself
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	tearDown()
}

// sendStdin copies stdin to the stream until either ends. It can't interrupt a Read in progress. If
// stdin has Wait, it takes a buffer only when data is there: many boxes are idle for hours.
func sendStdin(stream proto.Sandbox_RunClient, stdin io.Reader, pool *buffers) {
	patient, _ := stdin.(interface{ Wait() })
	for {
		if patient != nil {
			patient.Wait()
		}
		buf := pool.Get(Chunk)
		n, err := stdin.Read(*buf)
		if n > 0 {
			*buf = (*buf)[:n]
			if stream.SendMsg(&outgoing{tagStdin, buf, pool}) != nil {
				return
			}
		}
		if err != nil {
			_ = stream.CloseSend()
			return
		}
	}
}

// receive copies output to stdout until the exit arrives. It drops output after dead ends, so a
// stalled reader can't hold up the exit.
func receive(dead context.Context, kill context.CancelCauseFunc, stream proto.Sandbox_RunClient,
	stdout io.Writer) (Exit, error) {
	chunks := make(chan *mem.Reader)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for chunk := range chunks {
			if err := writeAll(stdout, chunk); err != nil {
				kill(fmt.Errorf("deliver output: %w", err))
				return
			}
		}
	}()
	exit, err := pump(dead, stream, chunks)
	close(chunks)
	select {
	case <-written:
	case <-dead.Done():
	}
	return exit, err
}

// writeAll writes what is in chunk to w, without copying it, and closes it.
func writeAll(w io.Writer, chunk *mem.Reader) error {
	defer func() { _ = chunk.Close() }()
	parts, err := chunk.Peek(chunk.Remaining(), nil)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func pump(dead context.Context, stream proto.Sandbox_RunClient, chunks chan<- *mem.Reader) (Exit, error) {
	for {
		last := &proto.RunDown{}
		m := incoming{tag: tagStdout, other: last}
		err := stream.RecvMsg(&m)
		if errors.Is(err, io.EOF) {
			return Exit{}, fmt.Errorf("%w: the stream ended without an exit", ErrLost)
		}
		if err != nil {
			return Exit{}, fromRPC(err)
		}
		if last.GetExit() != nil {
			return exitFromProto(last.GetExit()), nil
		}
		if m.bytes == nil { // with fields that this host doesn't know, perhaps
			m.bytes = mem.BufferSlice{mem.SliceBuffer(last.GetStdout())}.Reader()
		}
		if m.bytes.Remaining() == 0 {
			continue
		}
		select {
		case chunks <- m.bytes:
		case <-dead.Done():
		}
	}
}
