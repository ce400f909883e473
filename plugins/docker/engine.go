package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/computclaw/airlock/plugins/owner"
)

// callTime bounds every call to the engine that isn't meant to wait for something.
const callTime = 20 * time.Second

// startTime bounds the start of a container. Of many started together, each takes as long as all.
const startTime = time.Minute

type engine struct {
	api     *client.Client
	host    string
	version string // for people
}

// connect finds an engine and agrees on a version of the API.
func connect(ctx context.Context, s settings) (*engine, error) {
	host := s.host
	if host == "" {
		var err error
		if host, err = findSocket(); err != nil {
			return nil, err
		}
	}
	options := []client.Opt{client.WithHost(host)}
	if s.tls != "" && strings.HasPrefix(host, "tcp:") { // a socket is guarded by the file system
		options = append(options,
			client.WithTLSClientConfig(filepath.Join(s.tls, "ca.pem"), filepath.Join(s.tls, "cert.pem"),
				filepath.Join(s.tls, "key.pem")))
	}
	api, err := client.New(options...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		_ = api.Close()
		return nil, fmt.Errorf("the Docker engine at %s: %w", host, explain(err))
	}
	return &engine{api: api, host: host, version: "Docker, API " + api.ClientVersion()}, nil
}

// findSocket looks where engines listen on this host, the rootless one last.
func findSocket() (string, error) {
	paths := []string{"/var/run/docker.sock", fmt.Sprintf("/run/user/%d/docker.sock", os.Getuid())}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			return "unix://" + path, nil
		}
	}
	return "", fmt.Errorf("no Docker engine found at %s; start one, or set AIRLOCK_PLUGIN_DOCKER_HOST",
		strings.Join(paths, " or "))
}

// within runs one call with its own deadline. A cancelled box still has to be cleared away.
func within[T any](ctx context.Context, limit time.Duration, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	return call(ctx)
}

// remove kills and removes a container, and waits until it's gone. A missing one is no error.
func (e *engine) remove(ctx context.Context, container string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	for {
		_, err := e.api.ContainerRemove(ctx, container, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil || errdefs.IsNotFound(err) {
			return nil
		}
		if !errdefs.IsConflict(err) {
			return err
		}
		// Somebody else is removing it.
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// sweep removes an instance's containers for which keep answers false, and those of dead owners.
func (e *engine) sweep(ctx context.Context, instance string, keep func(box string) bool) error {
	list, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerListResult, error) {
		return e.api.ContainerList(ctx,
			client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", labelInstance)})
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range list.Items {
		switch {
		case c.Labels[labelInstance] == instance && !keep(c.Labels[labelBox]):
			errs = append(errs, e.remove(ctx, c.ID))
		case c.Labels[labelInstance] != instance && owner.ID(c.Labels[labelOwner]).Dead():
			_ = e.remove(ctx, c.ID) // the next to find it tries again
		}
	}
	return errors.Join(errs...)
}
