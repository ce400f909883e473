package deploy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// serverMemory is the memory of the server with its backend and an idle box, with room.
const serverMemory = 128 << 20

// Where memory is full the kernel ends the server with every execution. So boxes must fit beside
// it.
func TestDeployFilesFitTheirMemory(t *testing.T) {
	files := deployFiles()
	var render []string
	for _, item := range at(t, files[0].Parse(t), "services", "envVars").([]any) {
		if entry, ok := item.(map[string]any); ok && entry["value"] != nil {
			render = append(render, fmt.Sprintf("%v=%v", entry["key"], entry["value"]))
		}
	}
	fly, vm := files[2].Parse(t), at(t, files[2].Parse(t), "vm", "memory")
	env, ok := fly["env"].(map[string]any)
	if !ok || vm != "1gb" || at(t, fly, "vm", "size") != "shared-cpu-1x" {
		t.Fatalf("fly.toml: %v %v", env, vm)
	}
	var set []string
	for name, value := range env {
		set = append(set, fmt.Sprintf("%s=%v", name, value))
	}
	if !strings.Contains(strings.Join(set, " "), "AIRLOCK_WORKERS=") {
		set = append(set, "AIRLOCK_WORKERS=2") // twice its one core
	}
	for _, c := range []struct {
		name   string
		set    []string
		memory int64
	}{{"render.yaml, plan starter", render, 512 << 20}, {"fly.toml", set, 1 << 30}} {
		cfg, err := config.Load(c.set)
		e2e.Must(t, err)
		if boxes := int64(cfg.Workers) * cfg.Limits.Memory; boxes+serverMemory > c.memory {
			t.Errorf("%s: %d boxes of %d MiB and the server are more than %d MiB", c.name, cfg.Workers, cfg.Limits.Memory>>20,
				c.memory>>20)
		}
	}
}
