package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Makefile gives the release to the linker by the name of a variable; the linker says nothing if there is no such variable.
func TestTheMakefileSetsTheVersion(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`-X ([a-z.]+)=\$\(VERSION\)`).FindSubmatch(makefile)
	if flag == nil {
		t.Fatal("the Makefile sets no version")
	}
	binary := filepath.Join(t.TempDir(), "airlock")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-X "+string(flag[1])+"=v1.2.3-test", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "version").Output()
	if err != nil || !strings.Contains(string(out), "v1.2.3-test") {
		t.Errorf("%q %v", out, err)
	}
}
