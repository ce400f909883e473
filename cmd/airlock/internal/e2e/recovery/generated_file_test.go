package recovery_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/archive"
)

// instanceSize is what a generated file holds.
type instanceSize struct {
	credentials, profiles, executions int
	output                            int // bytes that each execution printed
}

// filePassphrase protects generated files.
const filePassphrase = "six words nobody else will guess"

// generatedFile writes an .airlock file by docs/airlock-file.md, line by line.
type generatedFile struct {
	enc    *json.Encoder
	counts map[string]int
	random *rand.ChaCha8
	at     int64 // unix milliseconds
	err    error
}

// line is one line, of one kind.
type line map[string]any

func (f *generatedFile) line(kind, counted string, l line) {
	if counted != "" {
		f.counts[counted]++
	}
	if f.err == nil {
		f.err = f.enc.Encode(map[string]line{kind: l})
	}
}

// generateFile writes an instance file of a size, and returns the bytes of its lines.
func generateFile(path string, size instanceSize) (lines int64, err error) {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sealed, err := archive.NewWriter(out, app.NewSecret(filePassphrase), archive.DefaultCost())
	if err != nil {
		return 0, err
	}
	f := &generatedFile{enc: json.NewEncoder(sealed), counts: map[string]int{}, random: rand.NewChaCha8([32]byte{}),
		at: time.Now().Add(-30 * 24 * time.Hour).UnixMilli()}
	f.write(size)
	return sealed.Size(), errors.Join(f.err, sealed.Close())
}

func (f *generatedFile) write(size instanceSize) {
	f.line("airlock", "", line{"content": 1, "program": "airlock bench", "instance": "be0c", "made_at": f.at,
		"history": true})
	credentials := make([]string, size.credentials)
	by := line{"kind": "person", "name": "bench"}
	for i := range credentials {
		credentials[i] = app.NewID()
		f.line("credential", "credentials", line{
			"id": credentials[i], "name": fmt.Sprintf("KEY_%d", i), "mode": app.ModeInjected, "places": []string{"header"},
			"source": app.SourceLocal, "value": f.text(32), "version": 1,
			"value_set_at": f.at, "created_at": f.at, "updated_at": f.at,
			"versions": []line{{"version": 1, "created_by": by, "created_at": f.at}},
		})
	}
	handles, policies := make([]string, size.profiles), make([]app.Policy, size.profiles)
	for i := range handles {
		handles[i] = app.NewID()
		key := fmt.Sprintf("KEY_%d", i%size.credentials)
		policies[i] = app.Policy{Version: 1,
			Keys:  []app.Grant{{Key: key, CredentialID: credentials[i%size.credentials], Mode: app.ModeInjected}},
			Hosts: []app.Host{}}
		f.line("profile", "profiles", line{
			"id": app.NewProfileID(), "handle": handles[i], "description": fmt.Sprintf("profile %d", i), "created_by": by,
			"claimed_at": f.at, "locked": true, "locked_at": f.at, "policy": 1, "may_run": app.MayRunAny,
			"created_at": f.at, "updated_at": f.at,
			"keys": []line{{"name": key, "credential": policies[i].Keys[0].CredentialID, "created_at": f.at}}, "hosts": []line{},
		})
	}
	for i, p := range policies {
		f.line("policy", "policies",
			line{"profile": handles[i], "body": p, "digest": p.Digest(), "created_by": by, "created_at": f.at})
	}
	for i := range size.executions {
		f.execution(handles[i%size.profiles], policies[i%size.profiles], f.at+int64(i)*1000, size.output)
	}
	f.line("end", "", line{"counts": f.counts})
}

func (f *generatedFile) execution(profile string, policy app.Policy, at int64, output int) {
	f.line("execution", "executions", line{
		"id": app.NewExecutionID(), "handle": app.NewID(), "profile_handle": profile, "profile_description": "benchmark",
		"policy": 1, "status": app.StatusCompleted, "timeout_ms": 60000,
		"backend": "bubblewrap", "isolation": "full", "warm": true, "injected": []string{policy.Keys[0].Key},
		"submitted_by": line{"kind": "agent"}, "created_at": at, "claimed_at": at + 1, "started_at": at + 2,
		"first_output_at": at + 5, "completed_at": at + 20, "run_ms": 18, "cpu_ms": 15, "peak_memory": 20 << 20,
		"manifest": line{"script": f.text(64), "python": "3.13.5", "policy": policy.Digest()},
	})
	script := "import json\nrows = [1, 2, 3]\nprint(json.dumps(rows))\nset_result({'rows': rows, 'note': '" + f.text(40) +
		"'})\n"
	f.line("script", "parts", line{"clean": script, "script": script, "inputs": `{"month": "2026-03"}`})
	f.line("output", "parts",
		line{"stdout": f.text(output), "stderr": "", "result": `{"rows":[1,2,3]}`, "segments": []int{output}})
	f.line("value", "parts", line{"key": policy.Keys[0].Key, "credential_id": policy.Keys[0].CredentialID,
		"credential_name": policy.Keys[0].Key, "version": 1, "mode": app.ModeInjected})
	f.line("connection", "parts",
		line{"ordinal": 1, "host": "api.example.com", "port": 443, "verdict": "allowed", "rule": "api.example.com",
			"started_at": at + 6, "duration_ms": 9, "count": 1, "credentials": []string{}})
}

// text is n characters that compress to about half.
func (f *generatedFile) text(n int) string {
	const letters = "etaoinshrdlucmfw" // four bits each
	out := make([]byte, n)
	for i := 0; i < n; i += 16 {
		for j, x := 0, f.random.Uint64(); j < 16 && i+j < n; j, x = j+1, x>>4 {
			out[i+j] = letters[x&15]
		}
	}
	return string(out)
}
