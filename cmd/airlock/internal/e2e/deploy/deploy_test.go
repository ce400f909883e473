package deploy_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// deployFile is a file that a platform reads. TestDeployFilesFitPublishedSchemas knows its keys.
type deployFile struct {
	name string
	read func([]byte, any) error
}

func deployFiles() []deployFile {
	return []deployFile{
		{"render.yaml", yaml.Unmarshal}, {"railway.toml", toml.Unmarshal}, {"fly.toml", toml.Unmarshal},
		{"deploy/docker-compose.yml", yaml.Unmarshal},
	}
}

func deployFileNamed(t *testing.T, name string) deployFile {
	t.Helper()
	for _, f := range deployFiles() {
		if f.name == name {
			return f
		}
	}
	t.Fatalf("no deploy file is %s", name)
	return deployFile{}
}

func (f deployFile) Parse(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../../..", f.name))
	e2e.Must(t, err)
	var content map[string]any
	e2e.Must(t, f.read(text, &content))
	return content
}

func at(t *testing.T, value any, path ...string) any {
	t.Helper()
	for _, name := range path {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		if list, ok := value.([]map[string]any); ok && len(list) > 0 {
			value = list[0]
		}
		m, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("no %v", path)
		}
		value = m[name]
	}
	return value
}

// Every platform keeps data on the image's disk, asks for health at an existing path, and lets a
// shutdown finish.
func TestDeployFilesFitTheProgram(t *testing.T) {
	files := map[string]map[string]any{}
	for _, f := range deployFiles() {
		files[f.name] = f.Parse(t)
	}
	image, err := os.ReadFile("../../../../../Dockerfile")
	e2e.Must(t, err)
	if !strings.Contains(string(image), "AIRLOCK_DATA_DIR=/data") || strings.Contains(string(image), "\nVOLUME") {
		t.Error("the image keeps its data elsewhere, or has a VOLUME, which Railway refuses")
	}
	for _, c := range []struct {
		file string
		path []string
		want any
	}{
		{"render.yaml", []string{"services", "disk", "mountPath"}, "/data"},
		{"render.yaml", []string{"services", "healthCheckPath"}, "/health"},
		{"railway.toml", []string{"deploy", "healthcheckPath"}, "/health"},
		{"fly.toml", []string{"mounts", "destination"}, "/data"},
		{"fly.toml", []string{"http_service", "checks", "path"}, "/health"},
		{"fly.toml", []string{"http_service", "internal_port"}, int64(9090)},
		{"fly.toml", []string{"kill_signal"}, "SIGTERM"},
	} {
		if got := at(t, files[c.file], c.path...); got != c.want {
			t.Errorf("%s: %v is %v, want %v", c.file, c.path, got, c.want)
		}
	}
	for _, seconds := range []any{at(t, files["render.yaml"], "services", "maxShutdownDelaySeconds"),
		at(t, files["railway.toml"], "deploy", "drainingSeconds"), at(t, files["fly.toml"], "kill_timeout")} {
		var n int
		// Render and Fly.io let a shutdown take 300 seconds at most.
		least := int((instance.Grace + instance.EngineGrace).Seconds())
		if _, err := fmt.Sscan(fmt.Sprint(seconds), &n); err != nil || n > 300 || n < least {
			t.Errorf("a shutdown gets %v seconds, and may take %d", seconds, least)
		}
	}
	volumes := at(t, files["deploy/docker-compose.yml"], "services", "airlock", "volumes")
	if fmt.Sprint(volumes) != "[airlock-data:/data]" {
		t.Errorf("compose mounts %v", volumes)
	}
	profile := filepath.Join("../../../../../deploy", "seccomp/airlock.json")
	if _, err := os.Stat(profile); err != nil ||
		!strings.Contains(fmt.Sprint(at(t, files["deploy/docker-compose.yml"], "services", "airlock", "security_opt")),
			"seccomp=./seccomp/airlock.json") {
		t.Errorf("compose names another profile than %s: %v", profile, err)
	}
}

// The server takes the files' variables and the platforms' names for its address.
func TestDeployFilesSetVariablesThatThereAre(t *testing.T) {
	var render []string
	for _, item := range at(t, deployFiles()[0].Parse(t), "services", "envVars").([]any) {
		entry := item.(map[string]any)
		value, set := entry["value"].(string)
		if entry["generateValue"] == true {
			value, set = "k3J9x0S8oYb2mQv7Zt1LrW5uPc6NdEfGhAiBjCkDl0M=", true // 256 bits in base64, as Render says
		}
		if !set {
			t.Errorf("%v has no value", entry["key"])
		}
		render = append(render, entry["key"].(string)+"="+value)
	}
	cfg, err := config.Load(append(render, "RENDER=true", "RENDER_EXTERNAL_URL=https://airlock.onrender.com",
		"PORT=10000"))
	if err != nil || cfg.PublicURL != "https://airlock.onrender.com" || cfg.Addr != ":10000" || cfg.AdminToken.Empty() ||
		cfg.SecretKey.Empty() {
		t.Errorf("%+v %v", cfg, err)
	}
	cfg, err = config.Load([]string{"RAILWAY_PROJECT_ID=x", "RAILWAY_PUBLIC_DOMAIN=airlock.up.railway.app", "PORT=8080"})
	if err != nil || cfg.PublicURL != "https://airlock.up.railway.app" || cfg.Addr != ":8080" {
		t.Errorf("%+v %v", cfg, err)
	}
	cfg, err = config.Load([]string{"FLY_APP_NAME=" + fmt.Sprint(at(t, deployFiles()[2].Parse(t), "app"))})
	if err != nil || cfg.PublicURL != "https://airlock.fly.dev" || cfg.Addr != ":9090" {
		t.Errorf("%+v %v", cfg, err)
	}
	compose, _ := at(t, deployFiles()[3].Parse(t), "services", "airlock", "environment").(map[string]any)
	for name := range compose {
		if !slices.ContainsFunc(config.Variables(), func(v config.Variable) bool { return v.Name == name }) {
			t.Errorf("compose sets %s, which Airlock doesn't know", name)
		}
	}
}

// The buttons lead to this repository, where platforms find their files.
func TestDeployButtons(t *testing.T) {
	const repository = "https://github.com/computclaw/airlock"
	readme, err := os.ReadFile("../../../../../README.md")
	e2e.Must(t, err)
	for platform, button := range map[string]string{
		"Render":  "](https://render.com/deploy?repo=" + repository + ")",
		"Railway": "](https://railway.com/new/github?repo=" + repository + ")",
	} {
		if !strings.Contains(string(readme), button) {
			t.Errorf("README.md has no button for %s", platform)
		}
	}
}

func TestSystemdUnit(t *testing.T) {
	text, err := os.ReadFile("../../../../../deploy/systemd/airlock.service")
	e2e.Must(t, err)
	unit := filepath.Join(t.TempDir(), "airlock.service")
	e2e.Must(t, os.WriteFile(unit,
		[]byte(strings.Replace(string(text), "ExecStart=/usr/local/bin/airlock",
			"ExecStart="+filepath.Join(e2e.BinDir, "airlock"), 1)), 0o600))
	verify := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", unit)
	verify.Env = append(os.Environ(), "SYSTEMD_LOG_LEVEL=warning")
	if out, err := verify.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(text)) {
		setting, ok := strings.CutPrefix(line, "Environment=")
		if ok {
			if _, err := config.Load([]string{strings.TrimSpace(setting)}); err != nil {
				t.Error(err)
			}
		}
	}
}
