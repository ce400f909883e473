package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTenMinutes runs the commands of docs/plugins.md at the root of the clone, with two other
// paths.
func TestTenMinutes(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	blocks := typed(t, filepath.Join(root, "docs", "plugins.md"))
	if len(blocks) != 3 {
		t.Fatalf("the page has %d blocks of commands: %q", len(blocks), blocks)
	}
	bin, mine := t.TempDir(), filepath.Join(t.TempDir(), "plugin-mybox")
	shell := func(dir, script string) string {
		t.Helper()
		for from, to := range map[string]string{"/usr/local/lib/airlock": bin, "/path/to/the/clone": root} {
			script = strings.ReplaceAll(script, from, to)
		}
		command := exec.Command("bash", "-euc", script)
		command.Dir, command.Env = dir,
			append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "AIRLOCK_DATA_DIR="+t.TempDir(),
				"CGO_ENABLED=0", "GOFLAGS=-buildvcs=false -trimpath") // finds what other tests have compiled
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%v\n%s", script, err, out)
		}
		return string(out)
	}
	shell(root, "go build -o "+bin+"/airlock ./cmd/airlock") // make build, without a version in it
	if out := shell(root, blocks[0]+blocks[1]); !strings.Contains(out, "mybox 1: ready, isolation restricted") {
		t.Errorf("the doctor says\n%s", out)
	}
	shell(root, "cp -r examples/plugin-bwrap "+mine)
	shell(mine, blocks[2]+"mv mybox "+bin)
	if out := shell(root, blocks[1]); !strings.Contains(out, "mybox 1: ready, isolation restricted") {
		t.Errorf("of one in a module of its own the doctor says\n%s", out)
	}
}

// typed are the blocks under "Ten minutes".
func typed(t *testing.T, page string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Ten minutes\n")
	section, _, ends := strings.Cut(section, "\n## ")
	if !found || !ends {
		t.Fatalf("%s has no such section", page)
	}
	for i, part := range strings.Split(section, "```") {
		if i%2 == 1 {
			blocks = append(blocks, part)
		}
	}
	return blocks
}
