package docker

import (
	"context"
	"testing"

	"github.com/moby/moby/client"
)

func TestNoContainerLog(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := w.start(ctx, t, "logged", python(sleeper))
	api := shared.Client(t)
	list, err := api.ContainerList(ctx,
		client.ContainerListOptions{Filters: client.Filters{}.Add("label", labelInstance+"="+w.cfg.Instance)})
	if err != nil || len(list.Items) == 0 {
		t.Fatalf("%d containers, %v", len(list.Items), err)
	}
	for _, c := range list.Items {
		got, err := api.ContainerInspect(ctx, c.ID, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if x := got.Container; x.LogPath != "" || x.HostConfig.LogConfig.Type != "none" {
			t.Errorf("%s is kept in %q by %q", x.Name, x.LogPath, x.HostConfig.LogConfig.Type)
		}
	}
	cancel()
	<-done
	noneLeft(t, shared, w.cfg.Instance)
}
