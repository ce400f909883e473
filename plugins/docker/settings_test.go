package docker

import (
	"slices"
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	s, err := parseSettings(map[string]string{
		"host": "tcp://engine:2376", "cert_path": "/certs",
		"image": "python:3.12-slim, registry.example.com:5000/team/box@sha256:ab", "runtime": "runsc",
		"tmp_exec": "true",
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"python:3.12-slim", "registry.example.com:5000/team/box@sha256:ab"}; !slices.Equal(s.images,
		want) || s.runtime != "runsc" || !s.tmpExec {
		t.Errorf("settings %+v", s)
	}
	if first := s.notes()[0]; strings.Contains(first, "program") {
		t.Errorf("with programs in /tmp agents read %q", first)
	}
	if s, err := parseSettings(nil); err != nil || !slices.Equal(s.images, []string{DefaultImage}) || s.tmpExec {
		t.Errorf("no settings: %+v, %v", s, err)
	}
}

func TestSettingsRefuse(t *testing.T) {
	tests := []struct {
		name, value, says string
	}{
		{"imagee", "a", "unknown setting"},
		{"image", "", "is not an image"},
		{"image", "a,,b", "is not an image"},
		{"image", "a b", "is not an image"},
		{"image", "../x", "is not an image"},
		{"image", "a?x=1", "is not an image"},
		{"runtime", "-x", "name of a runtime"},
		{"tmp_exec", "maybe", "invalid syntax"},
		{"cert_path", "certs", "absolute path"},
		{"host", "tcp://engine:2375", "without TLS"},
		{"host", "tcp://engine", "of the form"},
		{"host", "tcp://u@engine:2376", "of the form"},
		{"host", "tcp://engine:2376/path", "of the form"},
		{"host", "unix://relative/path", "of the form"},
		{"host", "ssh://me@engine", "ssh is not supported"},
		{"host", "http://engine:2375", "begins neither"},
		{"host", "engine", "begins neither"},
	}
	for _, tt := range tests {
		if _, err := parseSettings(map[string]string{tt.name: tt.value}); err == nil ||
			!strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s=%q: %v, want %q", tt.name, tt.value, err, tt.says)
		}
	}
	for _, host := range []string{"unix:///run/docker.sock", "tcp://127.0.0.1:2375", "tcp://localhost:2375",
		"tcp://[::1]:2375"} {
		if _, err := parseSettings(map[string]string{"host": host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := parseSettings(map[string]string{"host": "tcp://proxy:2375", "plain_tcp": "true"}); err != nil {
		t.Errorf("plain TCP that was asked for: %v", err)
	}
}
