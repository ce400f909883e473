package seccomp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write deploy/seccomp/airlock.json")

// What is shipped is what this package says.
func TestShippedProfile(t *testing.T) {
	const path = "../../deploy/seccomp/airlock.json"
	want, err := Outer()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale (%v); run: go test ./plugins/seccomp -run ShippedProfile -update", path, err)
	}
	var p profile
	if err := json.Unmarshal(got, &p); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]uint64{
		"bpf": nil, "keyctl": nil, "init_module": nil, "kexec_load": nil, "ptrace": nil, "perf_event_open": nil,
		"userfaultfd": nil, "reboot": nil,
		"open_by_handle_at": nil, "clock_settime": nil, "io_uring_setup": nil, "socket": {40},
		"personality": {0x0040000},
	} {
		if v := verdictOf(p, name, args...); v == retAllow {
			t.Errorf("%s%v is allowed", name, args)
		}
	}
	for name, args := range map[string][]uint64{"unshare": {newAny}, "clone": {newAny}, "mount": nil, "pivot_root": nil,
		"socket": {16}, "personality": {personalityQuery}} {
		if v := verdictOf(p, name, args...); v != retAllow {
			t.Errorf("%s%v is refused", name, args)
		}
	}
}
