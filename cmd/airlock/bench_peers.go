package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/computclaw/airlock/plugins/docker"
)

// measurePeers measures other ways to run Python apart from the host, each a command that does nothing in it, and returns why some could not be measured.
func measurePeers(ctx context.Context, table io.Writer, cfg config, more []string, rounds int) (notes []string) {
	peers := []struct {
		what    string
		command []string
	}{
		{"bubblewrap by itself: bwrap … python3 -c pass", []string{"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", boxPython, "-c", "pass"}},
		{"docker run --rm … python3 -c pass", dockerRun(cfg)},
	}
	for _, command := range more {
		peers = append(peers, struct {
			what    string
			command []string
		}{command, strings.Fields(command)})
	}
	for _, p := range peers {
		times, err := commandTimes(ctx, rounds, p.command...)
		if err != nil {
			fmt.Fprintf(table, "%s\tnot here\t\t\n", p.what)
			notes = append(notes, fmt.Sprintf("%s can't be measured: %v", p.what, err))
			continue
		}
		row(table, p.what, times, "")
	}
	return notes
}

// commandTimes runs a command some times, one after the other.
func commandTimes(ctx context.Context, rounds int, command ...string) (times []time.Duration, err error) {
	if len(command) == 0 {
		return nil, errors.New("there is no command")
	}
	for range max(rounds/4, 3) {
		time.Sleep(breath)
		start := time.Now()
		if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(out)))
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// dockerRun is a command that runs Python in a container of its own, on the engine and from the image that the docker backend has.
func dockerRun(cfg config) []string {
	s := cfg.PluginSettings[docker.Name]
	image, _, _ := strings.Cut(s["image"], ",")
	if image == "" {
		image = docker.DefaultImage
	}
	command := []string{"docker"}
	if s["host"] != "" {
		command = append(command, "--host", s["host"])
	}
	return append(command, "run", "--rm", "--network", "none", image, "python3", "-c", "pass")
}
