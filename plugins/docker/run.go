package docker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/stdio"
)

const (
	// grace bounds the wait for a killed box's remaining output.
	grace = time.Second
	// endTime is how long a container may take to be reported as ended after its output has.
	endTime = 10 * time.Second
	// lastLook bounds the look at the counters of a box that is about to be killed.
	lastLook = 300 * time.Millisecond
)

type box struct {
	*host
	id     string
	name   string // of the container
	limits plugins.Limits
	conn   client.HijackedResponse
	meter  *meter
	stderr stdio.Tail
	over   bool // the engine has said that nothing runs in it
}

func (h *host) newBox(spec plugins.Spec) (*box, error) {
	limits, err := spec.Limits.Bound(least())
	if err != nil {
		return nil, err
	}
	name := "airlock-" + h.instance + "-" + spec.ID + "-" + strings.ToLower(rand.Text()[:6])
	return &box{host: h, id: spec.ID, name: name, limits: limits,
		meter: newMeter(h.engine, name, limits.Pids)}, nil
}

// run opens the box, relays its stdio, and returns when nothing of it is left.
func (b *box) run(ctx context.Context, i *image, command []string, stdin io.Reader, stdout io.Writer) (plugins.Exit,
	error) {
	if ctx.Err() != nil {
		return killedExit(), nil
	}
	if err := b.open(ctx, i, command); err != nil {
		return plugins.Exit{}, errors.Join(callError("open box", err), b.removeBox(ctx, b.name))
	}
	exit, err := b.serve(ctx, stdin, stdout)
	if b.over {
		// Removing the engine's record is the slowest part of an end, and nothing runs now.
		b.remover.Go(func() error {
			_ = b.removeBox(ctx, b.name) // tried again until it works
			return nil
		})
		return exit, err
	}
	return exit, errors.Join(err, b.removeBox(ctx, b.name))
}

// removeBox kills and removes a box's container. If the engine doesn't answer, it retries in the
// background while this process lives. The next Check sweeps the rest.
func (h *host) removeBox(ctx context.Context, name string) error {
	err := h.remove(ctx, name)
	if err == nil {
		return nil
	}
	go func() {
		for wait := time.Second; h.remove(ctx, name) != nil; wait = min(2*wait, 30*time.Second) {
			time.Sleep(wait)
		}
	}()
	return fmt.Errorf("container %s may be left until the engine answers again: %w", name, explain(err))
}

func killedExit() plugins.Exit {
	return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}
}

// open makes the container, connects to it and starts it. The caller removes the container, also
// after an error.
func (b *box) open(ctx context.Context, i *image, command []string) error {
	if err := b.create(ctx, i, command); err != nil {
		return err
	}
	attached, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerAttachResult, error) {
		return b.api.ContainerAttach(ctx, b.name,
			client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	})
	if err != nil {
		return err
	}
	b.conn = attached.HijackedResponse
	_, err = within(ctx, startTime, func(ctx context.Context) (client.ContainerStartResult, error) {
		return b.api.ContainerStart(ctx, b.name, client.ContainerStartOptions{})
	})
	if err != nil {
		b.conn.Close()
	}
	return err
}

// create makes the container. If somebody removed the derived image, it's made again.
func (b *box) create(ctx context.Context, i *image, command []string) error {
	for again := false; ; again = true {
		options := client.ContainerCreateOptions{Name: b.name, Config: b.containerConfig(i, b.id, command),
			HostConfig: b.hostConfig(i.arch, b.limits)}
		if b.hole != nil {
			b.hole(options.Config, options.HostConfig)
		}
		made, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerCreateResult, error) {
			return b.api.ContainerCreate(ctx, options)
		})
		if errdefs.IsNotFound(err) && !again {
			if err := b.derive(ctx, i); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, warning := range made.Warnings {
			if strings.Contains(warning, "discarded") { // the engine's word for a limit that it can't hold
				return fmt.Errorf("the engine does not hold a limit: %s", warning)
			}
		}
		return nil
	}
}

func (b *box) serve(ctx context.Context, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	defer b.conn.Close()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go b.meter.watch(watching)
	// It may wait in stdin.Read for longer than the box lives; nothing waits for it.
	go b.feed(watching, stdin)
	output := make(chan error, 1)
	go func() { output <- demux(b.conn.Reader, stdout, &b.stderr) }()
	select {
	case err := <-output:
		if failed := (deliverError{}); errors.As(err, &failed) {
			return b.kill(ctx, nil, plugins.ReasonKilled), failed.err
		}
		return b.readExit(ctx, err)
	case <-b.meter.oom:
		return b.kill(ctx, output, plugins.ReasonOOM), nil
	case <-ctx.Done():
		return b.kill(ctx, output, plugins.ReasonKilled), nil
	}
}

// feed relays input. At its end it reads the counters for a last certain time, before the guest
// ends.
func (b *box) feed(ctx context.Context, stdin io.Reader) {
	_, _ = io.Copy(b.conn.Conn, stdin)
	b.meter.look(ctx)
	_ = b.conn.CloseWrite()
}

// kill ends the box at once. Output in transit gets a moment if there is a reader.
func (b *box) kill(ctx context.Context, output <-chan error, why plugins.Reason) plugins.Exit {
	looking, stop := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	b.meter.look(looking)
	stop()
	_, _ = within(ctx, callTime, func(ctx context.Context) (client.ContainerKillResult, error) {
		return b.api.ContainerKill(ctx, b.name, client.ContainerKillOptions{Signal: "KILL"})
	})
	if output != nil {
		select {
		case err := <-output:
			_ = err // how it ended is of no interest
		case <-time.After(grace):
		}
	}
	exit := killedExit()
	exit.Reason = why
	b.addMeasures(&exit)
	return exit
}

// readExit says how a box ended after its output did: by itself, or with the engine. cause is the
// read error, if any.
func (b *box) readExit(ctx context.Context, cause error) (plugins.Exit, error) {
	state, err := b.finalState(ctx)
	if err != nil {
		return plugins.Exit{}, callError(fmt.Sprintf("the engine at %s went away or lost the box while it ran",
			b.engine.host),
			errors.Join(cause, err))
	}
	if cause != nil {
		return plugins.Exit{}, fmt.Errorf("%w: the connection to the engine at %s broke while the box ran: %w",
			plugins.ErrCut, b.engine.host, cause)
	}
	const killedBySignal9 = 128 + 9
	exit := plugins.Exit{Code: state.ExitCode, Reason: plugins.ReasonExit}
	outOfMemory := state.OOMKilled || state.ExitCode == killedBySignal9 && b.awaitOOM(ctx)
	if outOfMemory {
		exit.Reason = plugins.ReasonOOM
		if state.ExitCode == killedBySignal9 {
			exit.Code, exit.Signal = -1, 9
		}
	}
	b.addMeasures(&exit)
	if state.ExitCode == killedBySignal9 && !outOfMemory && exit.Diagnostic == "" {
		exit.Diagnostic = "ended with 137: by itself, or somebody stopped the container or the engine"
	}
	return exit, nil
}

// oomTime is how late an engine may tell of memory that ran out after an end by signal 9. That
// signal has hardly any other cause.
const oomTime = 3 * time.Second

// awaitOOM waits a moment for that word. Engines learn of it separately from the end.
func (b *box) awaitOOM(ctx context.Context) bool {
	for deadline := time.Now().Add(oomTime); time.Now().Before(deadline); time.Sleep(oomTime / 30) {
		if state, err := b.state(ctx); err == nil && state.OOMKilled {
			return true
		}
	}
	return false
}

// finalState waits for the container's end and returns its state. It kills one that lives on
// without output.
func (b *box) finalState(ctx context.Context) (*container.State, error) {
	if err := b.await(ctx); err != nil {
		if errdefs.IsNotFound(err) || client.IsErrConnectionFailed(err) {
			return nil, err
		}
		_, _ = within(ctx, callTime, func(ctx context.Context) (client.ContainerKillResult, error) {
			return b.api.ContainerKill(ctx, b.name, client.ContainerKillOptions{Signal: "KILL"})
		})
	}
	state, err := b.state(ctx)
	if err != nil {
		return nil, err
	}
	if state.Running {
		return nil, errors.New("the container runs on without its output")
	}
	b.over = true
	return state, nil
}

func (b *box) state(ctx context.Context) (*container.State, error) {
	found, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerInspectResult, error) {
		return b.api.ContainerInspect(ctx, b.name, client.ContainerInspectOptions{})
	})
	if err == nil && found.Container.State == nil {
		err = errors.New("the engine doesn't tell the container's state")
	}
	return found.Container.State, err
}

func (b *box) await(ctx context.Context) error {
	_, err := within(ctx, endTime, func(ctx context.Context) (container.WaitResponse, error) {
		waiting := b.api.ContainerWait(ctx, b.name,
			client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
		select {
		case response := <-waiting.Result:
			return response, nil
		case err := <-waiting.Error:
			return container.WaitResponse{}, err
		}
	})
	return err
}

func (b *box) addMeasures(exit *plugins.Exit) {
	u := b.meter.usage()
	exit.PeakMemory, exit.CPUTime, exit.PidsHit, exit.Diagnostic = u.peak, u.cpu, u.full, b.stderr.String()
	if exit.Reason == plugins.ReasonOOM {
		exit.PeakMemory = b.limits.Memory // that is what it means
	}
}
