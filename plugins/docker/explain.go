package docker

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/computclaw/airlock/plugins"
)

func explain(err error) error {
	if err == nil {
		return nil
	}
	if advice := advise(err); advice != "" {
		return fmt.Errorf("%w. %s", err, advice)
	}
	return err
}

// callError converts an engine's error: what failed, why, and what to do. It wraps plugins.ErrCut
// if no engine answers.
func callError(what string, err error) error {
	if unreachable(err) {
		return fmt.Errorf("%w: %s: %w", plugins.ErrCut, what, explain(err))
	}
	return fmt.Errorf("%s: %w", what, explain(err))
}

func unreachable(err error) bool {
	text := strings.ToLower(err.Error())
	return client.IsErrConnectionFailed(err) || errors.Is(err, syscall.ECONNREFUSED) ||
		strings.Contains(text, "connection refused") || strings.Contains(text, "cannot connect to the docker daemon")
}

func advise(err error) string {
	text := strings.ToLower(err.Error())
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("no space left on device") || has("disk quota exceeded"):
		return "The engine's disk is full: free some of it (docker system df shows what takes it)"
	case errdefs.IsPermissionDenied(err) || has("received 403"): // the second is all that an attempt to attach tells
		return "A socket proxy has to allow containers, images, commit and POST"
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EACCES) ||
		has("permission denied while trying to connect"):
		return "Airlock's user has to be allowed to use the engine's socket; whoever may is root on that host"
	case has("runtime name") || has("unknown runtime"):
		return "AIRLOCK_PLUGIN_DOCKER_RUNTIME names a runtime that the engine doesn't have"
	case has("seccomp is not enabled") || has("seccomp profiles are not supported"):
		return "The engine's kernel has no seccomp, without which scripts aren't contained"
	case unreachable(err):
		return "Start it, or set AIRLOCK_PLUGIN_DOCKER_HOST to where it is"
	default:
		return ""
	}
}
