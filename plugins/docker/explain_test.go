package docker

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"
)

func TestAddressWithTheNumberOfAnAnswer(t *testing.T) {
	api, err := client.New(client.WithHost("unix://" + filepath.Join(t.TempDir(), "engine-4034037.sock")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = api.Ping(t.Context(), client.PingOptions{})
	if got := explain(err); got == nil || !strings.Contains(got.Error(), "4034037") ||
		!strings.Contains(got.Error(), "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("got %v", got)
	}
	if got := explain(errors.New(
		"cannot connect to the docker daemon at " +
			"unix:///tmp/engine-2184034926/engine.sock")); !strings.Contains(got.Error(),
		"AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("got %v", got)
	}
}

func TestForbiddenByAProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }))
	defer proxy.Close()
	api, err := client.New(client.WithHost("tcp://"+proxy.Listener.Addr().String()), client.WithAPIVersion("1.44"))
	if err != nil {
		t.Fatal(err)
	}
	_, started := api.ContainerStart(t.Context(), "box", client.ContainerStartOptions{})
	_, attached := api.ContainerAttach(t.Context(), "box", client.ContainerAttachOptions{Stream: true})
	for call, err := range map[string]error{"start": started, "attach": attached} {
		if got := explain(err); got == nil || !strings.Contains(got.Error(), "socket proxy") {
			t.Errorf("%s: %v", call, got)
		}
	}
	if got := explain(fmt.Errorf("dial: %w", os.ErrPermission)); !strings.Contains(got.Error(),
		"allowed to use the engine's socket") {
		t.Errorf("got %v", got)
	}
	if err := explain(nil); err != nil {
		t.Error(err)
	}
}
