package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/computclaw/airlock/plugins/proto"
)

// killTime bounds how long a plugin may take to end a box before the stream is torn down.
const killTime = 30 * time.Second

// remote is a Sandbox in another process.
type remote struct{ rpc proto.SandboxClient }

func (r *remote) Check(ctx context.Context, cfg Config) (Report, error) {
	response, err := r.rpc.Check(ctx, configToProto(cfg))
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
	// The stream outlives ctx: the exit of a killed box still has to come through it.
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
	stop := context.AfterFunc(dead, func() { r.kill(streamCtx, spec.ID, tearDown) })
	defer stop()
	go sendStdin(stream, stdin)
	exit, err := receive(dead, kill, stream, stdout)
	if cause := context.Cause(dead); err == nil && cause != nil && ctx.Err() == nil {
		return exit, cause
	}
	return exit, err
}

// kill asks for the box's end, and tears the stream down if that isn't heard.
func (r *remote) kill(ctx context.Context, id string, tearDown func()) {
	time.AfterFunc(killTime, tearDown)
	for {
		// The box may not be registered yet: the stream's first message and this call race.
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
}

// sendStdin ends when stdin does or when the stream is over, but can't interrupt a Read in progress.
func sendStdin(stream proto.Sandbox_RunClient, stdin io.Reader) {
	buf := make([]byte, maxChunk)
	for {
		n, err := stdin.Read(buf)
		if n > 0 {
			if stream.Send(&proto.RunUp{Message: &proto.RunUp_Stdin{Stdin: buf[:n]}}) != nil {
				return
			}
		}
		if err != nil {
			_ = stream.CloseSend()
			return
		}
	}
}

// receive hands output to stdout until the exit arrives. Once dead has ended it drops output, so that a reader that has gone
// away can't keep the exit from arriving.
func receive(dead context.Context, kill context.CancelCauseFunc, stream proto.Sandbox_RunClient, stdout io.Writer) (Exit, error) {
	chunks := make(chan []byte)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for chunk := range chunks {
			if _, err := stdout.Write(chunk); err != nil {
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

func pump(dead context.Context, stream proto.Sandbox_RunClient, chunks chan<- []byte) (Exit, error) {
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return Exit{}, fmt.Errorf("%w: the stream ended without an exit", ErrLost)
		}
		if err != nil {
			return Exit{}, fromRPC(err)
		}
		if m.GetExit() != nil {
			return exitFromProto(m.GetExit()), nil
		}
		if len(m.GetStdout()) == 0 {
			continue
		}
		select {
		case chunks <- m.GetStdout():
		case <-dead.Done():
		}
	}
}
