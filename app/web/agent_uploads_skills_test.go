package web

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
)

func zipped(t *testing.T, contents map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for path, content := range contents {
		f, err := w.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const totals = "---\nname: totals\ndescription: Sums rows\nmetadata:\n  airlock.keys: API_KEY\n" +
	"  airlock.input-schema: '{\"type\":\"object\",\"required\":[\"month\"],\"properties\":{\"month\":{\"type\":\"string\"}}}'\n" +
	"---\nSums rows.\n"

func TestAnAgentUploadsASkillAndReadsItsState(t *testing.T) {
	w := newWorld(t)
	p, other := w.lockedProfile(), w.profile()
	content := zipped(t, map[string]string{"SKILL.md": totals, "main.py": "import os\nset_result(os.environ)"})
	a := w.call("POST", "/skills", content, bearerOf(p), "Content-Type: application/zip")
	const facts = `"facts":{"imports":["os"],"environment":[{"file":"main.py","line":2,"what":"os.environ"}]}`
	if a.status != 201 || a.json["state"] != "quarantined" || a.json["version"] != float64(1) ||
		!strings.Contains(a.text, facts) || !strings.HasSuffix(fmt.Sprint(a.json["next_step"]), "/ui/skills/totals?version=1") {
		t.Fatalf("got %d %s", a.status, a.text)
	}
	digest, _ := a.json["digest"].(string)
	w.refused(w.call("GET", "/skills/totals", "", bearerOf(other)), 404, app.CodeSkillNotFound)
	w.refused(w.call("GET", "/skills", ""), 401, app.CodeUnauthorized)
	if a := w.call("GET", "/skills", "", bearerOf(other)); a.text != `{"skills":[]}`+"\n" {
		t.Errorf("another profile sees %s", a.text)
	}
	if text := w.call("GET", "/skill.md", "", bearerOf(p)).text; strings.Contains(text, "Skills: `totals`") {
		t.Error("skill.md lists a version that waits for review")
	}
	_, err := w.engine.Skills.Approve(t.Context(), person, "totals", 1, digest)
	w.must(err)
	a = w.call("GET", "/skills/totals", "", bearerOf(p))
	for _, want := range []string{`"state":"approved"`, `"skill":"totals@1"`, `"example":{"skill":"totals@1"`, `"input_schema":{`,
		`"keys":["API_KEY"]`, facts} {
		if !strings.Contains(a.text, want) {
			t.Errorf("%s is not in %s", want, a.text)
		}
	}
	if text := w.call("GET", "/skill.md", "", bearerOf(p)).text; !strings.Contains(text, "Skills: `totals`") {
		t.Error("skill.md doesn't list the skill")
	}
	got := w.call("GET", "/skills/totals/bundle.zip", "", bearerOf(p))
	b, err := bundle.ReadZip(strings.NewReader(got.text), int64(len(got.text)))
	w.must(err)
	if b.Digest() != digest {
		t.Errorf("the download has the digest %s, want %s", b.Digest(), digest)
	}
}

func TestBadSkillsAreRefusedWithFileAndLineAndLeaveNothing(t *testing.T) {
	w := newWorld(t)
	p := w.lockedProfile()
	main := "set_result(1)"
	for name, c := range map[string]struct {
		files map[string]string
		field string
		code  app.Code
	}{
		"no SKILL.md":        {map[string]string{"main.py": main}, "SKILL.md", app.CodeInvalidSkill},
		"leads out":          {map[string]string{"SKILL.md": totals, "../x": "x"}, "../x", app.CodeInvalidSkill},
		"names alike":        {map[string]string{"SKILL.md": totals, "main.py": main, "a": "1", "A": "2"}, "", app.CodeInvalidSkill},
		"anchor in the YAML": {map[string]string{"SKILL.md": "---\nname: &a totals\ndescription: *a\n---\n", "main.py": main}, "SKILL.md:2", app.CodeInvalidSkill},
		"no entrypoint":      {map[string]string{"SKILL.md": totals}, "", app.CodeInvalidSkill},
		"schema with a URL": {map[string]string{"SKILL.md": strings.Replace(totals, `"type":"object"`,
			`"$ref":"https://a.example/s"`, 1), "main.py": main}, "SKILL.md:6", app.CodeInvalidSkill},
	} {
		a := w.call("POST", "/skills", zipped(t, c.files), bearerOf(p), "Content-Type: application/zip")
		w.refused(a, 422, c.code)
		detail, _ := a.json["error"].(map[string]any)
		if field, _ := detail["field"].(string); c.field != "" && field != c.field {
			t.Errorf("%s: field %q, want %q: %s", name, field, c.field, a.text)
		}
	}
	w.refused(w.call("POST", "/skills", "no zip", bearerOf(p), "Content-Type: application/zip"), 422, app.CodeInvalidSkill)
	w.refused(w.call("POST", "/skills", strings.Repeat("x", bundle.MaxPacked+1), bearerOf(p),
		"Content-Type: application/zip"), 413, app.CodeTooLarge)
	list, err := w.engine.Skills.List(t.Context())
	w.must(err)
	if len(list) != 0 {
		t.Errorf("refused uploads left skills %v", list)
	}
}

func TestAScriptThatRanBecomesASkill(t *testing.T) {
	w := newWorld(t)
	p, other := w.lockedProfile(), w.profile()
	ran := func(script string) string {
		a := w.call("POST", "/execute", `{"script":"`+script+`"}`, bearerOf(p))
		id, _ := a.json["execution_id"].(string)
		return id
	}
	id := ran("set_result(inputs)")
	body := `{"execution_id":"` + id + `","name":"echo","description":"Returns: its \"inputs\""}`
	w.refused(w.call("POST", "/skills", body, bearerOf(other)), 409, app.CodeProfileUnlocked)
	w.refused(w.call("POST", "/skills", body, bearerOf(w.lockedProfile())), 404, app.CodeNotFound)
	a := w.call("POST", "/skills", body, bearerOf(p))
	if a.status != 201 || a.json["description"] != `Returns: its "inputs"` {
		t.Fatalf("got %d %s", a.status, a.text)
	}
	b, err := w.engine.Skills.Open(t.Context(), a.json["digest"].(string))
	w.must(err)
	if script, _ := b.File("main.py"); string(script) != "set_result(inputs)" {
		t.Errorf("the script is %q", script)
	}
	w.refused(w.call("POST", "/skills", strings.Replace(body, "echo", "No Name", 1), bearerOf(p)), 422, app.CodeInvalidSkill)
	secret := ran("key = '" + plantedSecret + "'")
	w.refused(w.call("POST", "/skills", strings.Replace(body, id, secret, 1), bearerOf(p)), 400, app.CodeInvalidField)
	w.refused(w.call("POST", "/skills", `{"execution_id":"x"}`, bearerOf(p)), 400, app.CodeInvalidField)
}

// TestHoleUploadsLeaveRoom: one profile's slow uploads leave room for others.
func TestHoleUploadsLeaveRoom(t *testing.T) {
	w := newWorld(t)
	p, other := w.lockedProfile(), w.lockedProfile()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const tries, places = 20, 16
	answers := make(chan int, tries)
	send := func(p app.Profile, length int64, body io.Reader) {
		r, err := http.NewRequestWithContext(ctx, "POST", w.server.URL+"/files?name=a", body)
		w.must(err)
		r.ContentLength = length // net/http waits for an absent body before it refuses it
		r.Header.Set("Authorization", "Bearer "+p.ID)
		go func() {
			if resp, err := http.DefaultClient.Do(r); err == nil {
				resp.Body.Close()
				answers <- resp.StatusCode
			}
		}()
	}
	for range tries {
		slow, sending := io.Pipe()
		defer sending.Close()
		send(p, 60_000_000, slow)
	}
	for range tries - places/2 {
		if got := <-answers; got != http.StatusTooManyRequests {
			t.Fatalf("an upload that has no place is answered %d", got)
		}
	}
	send(other, 5, strings.NewReader("hello"))
	if got := <-answers; got != http.StatusCreated {
		t.Errorf("another profile's upload: %d", got)
	}
}

// TestHoleTwoProfilesHoldBothSkillPlaces: profiles that read skills take turns.
func TestHoleTwoProfilesHoldBothSkillPlaces(t *testing.T) {
	w := newWorld(t)
	busy := []app.Profile{w.lockedProfile(), w.lockedProfile(), w.lockedProfile()}
	code := strings.Repeat("import os\nos.system('x')\n", 40_000) // takes a moment to read
	for n, p := range busy {
		skill := strings.Replace(totals, "name: totals", fmt.Sprintf("name: totals-%d", n), 1)
		a := w.call("POST", "/skills", zipped(t, map[string]string{"SKILL.md": skill, "main.py": code}),
			bearerOf(p), "Content-Type: application/zip")
		if a.status != http.StatusCreated {
			t.Fatalf("%d %s", a.status, a.text)
		}
	}
	read := func(n int) int {
		return w.call("GET", fmt.Sprintf("/skills/totals-%d/bundle.zip", n), "", bearerOf(busy[n])).status
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for n := range 2 {
		for range 3 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						read(n)
					}
				}
			})
		}
	}
	for range 10 {
		if got := read(2); got != http.StatusOK {
			t.Errorf("the third profile: %d", got)
		}
	}
	close(done)
	readers.Wait()
}
