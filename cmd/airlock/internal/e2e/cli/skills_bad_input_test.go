package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// member is a zip file's. change edits its header first.
type member struct {
	name, content string
	change        func(*zip.FileHeader)
}

// badSkill is the SKILL.md of uploads that are refused.
const badSkill = "---\nname: bad\ndescription: Is refused\n---\n"

// usual packs members after a SKILL.md and main.py.
func usual(t *testing.T, members ...member) []byte {
	t.Helper()
	return packed(t, append([]member{{name: "SKILL.md", content: badSkill}, {name: "main.py"}}, members...)...)
}

// packed packs members.
func packed(t *testing.T, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		if m.change == nil {
			f, err := w.CreateHeader(header)
			e2e.Must(t, err)
			_, err = f.Write([]byte(m.content))
			e2e.Must(t, err)
			continue
		}
		header.Method, header.CRC32 = zip.Store, crc32.ChecksumIEEE([]byte(m.content))
		header.CompressedSize64, header.UncompressedSize64 = uint64(len(m.content)), uint64(len(m.content))
		m.change(header)
		f, err := w.CreateRaw(header)
		e2e.Must(t, err)
		_, err = f.Write([]byte(m.content))
		e2e.Must(t, err)
	}
	e2e.Must(t, w.Close())
	return out.Bytes()
}

func skillMD(lines string) member { return member{name: "SKILL.md", content: lines} }

// TestBadSkillsAreRefusedByTheWholeProgram: hostile skills get their code and place, and leave no
// row or content. app/skills/bundle tests the refusals.
func TestBadSkillsAreRefusedByTheWholeProgram(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	owner, other := d.PlaceProfile("bubblewrap"), d.PlaceProfile("bubblewrap")
	const schema = `  airlock.input-schema: '{"type":"object","required":["month"],"properties":{"month":{"type":"string"},"n":{"minimum":1}}}'` + "\n"
	good := packed(t, skillMD("---\nname: good\ndescription: Is taken\nmetadata:\n"+schema+"---\n"), member{name: "main.py"})
	if status, text := d.uploadSkill(1, owner, good); status != http.StatusCreated {
		t.Fatalf("the good one: %d %s", status, text)
	}
	ofSchema := skillMD("---\nname: bad\ndescription: Is refused\nmetadata:\n  airlock.input-schema: s.json\n---\n")
	link := func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }
	main := member{name: "main.py"}
	before := d.kept()
	for i, c := range []struct {
		what    string
		profile string
		content []byte
		status  int
		code    string
		field   string
		message string // begins it
	}{
		{"slip", owner, usual(t, member{name: "../../x"}), 422, "invalid_skill", "../../x", "../../x: The path leads out"},
		{"link", owner, usual(t, member{"l", "/etc/passwd", link}), 422, "invalid_skill", "l", "l: A symbolic link is not"},
		{"more than 10 MiB", owner, make([]byte, 10<<20+1), 413, "too_large", "", "the zip file is larger than 10 MiB"},
		{"anchors", owner, packed(t, skillMD("---\nname: &a bad\ndescription: *a\n---\n"), main), 422,
			"invalid_skill", "SKILL.md:2", "SKILL.md:2: The frontmatter uses an anchor"},
		{"another's name", other, good, 409, "skill_name_taken", "name", "SKILL.md: the name good belongs to another"},
		{"schema file that is no JSON", owner, packed(t, ofSchema, main, member{name: "s.json",
			content: "{\n\"type\": object\n}"}), 422, "invalid_skill", "s.json:2", "s.json:2: The input schema can't be used"},
		{"schema with a costly pattern", owner, packed(t, ofSchema, main, member{name: "s.json",
			content: `{"pattern": "` + strings.Repeat("x{1000}", 100) + `"}`}), 422, "invalid_skill", "s.json",
			"s.json: The input schema can't be used: it has more than 2000 parts"},
	} {
		status, text := d.uploadSkill(2+i, c.profile, c.content)
		var told struct {
			Error struct{ Code, Field, Message, Hint string }
		}
		err := json.Unmarshal(text, &told)
		if e := told.Error; err != nil || status != c.status || e.Code != c.code || e.Field != c.field || e.Hint == "" ||
			!strings.HasPrefix(e.Message, c.message) {
			t.Errorf("%s: %d %s", c.what, status, text)
		}
		if after := d.kept(); after != before {
			t.Errorf("%s left something: %s, before %s", c.what, after, before)
		}
	}
	d.checkInputs(owner, before)
	d.checkRequirements(owner)
}

// uploadSkill sends a zip file from its own loopback address: uploads are limited by address.
func (d filesDesk) uploadSkill(address int, bearer string, content []byte) (int, []byte) {
	d.T.Helper()
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(address))}}
	transport := &http.Transport{DialContext: from.DialContext}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(d.T.Context(), http.MethodPost, d.URL+"/skills", bytes.NewReader(content))
	e2e.Must(d.T, err)
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Content-Type", "application/zip")
	response, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(request)
	e2e.Must(d.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	e2e.Must(d.T, err)
	return response.StatusCode, text
}

// kept counts what uploads can leave behind.
func (d filesDesk) kept() string {
	d.T.Helper()
	contents, err := os.ReadDir(filepath.Join(d.Dir, "files"))
	e2e.Must(d.T, err)
	rows := ""
	for _, table := range []string{"skills", "skill_versions", "skill_profiles", "blobs", "executions"} {
		rows += fmt.Sprintf(" %s %d", table, d.Count("SELECT count(*) FROM "+table))
	}
	return fmt.Sprintf("contents %d%s", len(contents), rows)
}

// checkInputs submits the approved skill with inputs against its schema.
func (d filesDesk) checkInputs(profile, before string) {
	d.T.Helper()
	var v struct {
		Skills []struct{ Digest string }
	}
	_, text, _ := d.do("GET", "/skills/good", profile, nil)
	if err := json.Unmarshal(text, &v); err != nil || len(v.Skills) != 1 {
		d.T.Fatalf("the good one reads %s", text)
	}
	d.Admin("", "skill", "approve", v.Skills[0].Digest)
	for inputs, field := range map[string]string{`{"month":7}`: "inputs.month", `{}`: "inputs", `[]`: "inputs"} {
		status, text, _ := d.do("POST", "/execute", profile, []byte(`{"skill":"good","inputs":`+inputs+`}`))
		if status != http.StatusBadRequest || !bytes.Contains(text, []byte(`"code":"invalid_field"`)) ||
			!bytes.Contains(text, []byte(`"field":"`+field+`"`)) || d.kept() != before {
			d.T.Errorf("inputs %s: %d %s, left %s", inputs, status, text, d.kept())
		}
	}
	status, text, _ := d.do("POST", "/execute", profile, []byte(`{"skill":"good","inputs":{"month":"5","n":1e9999999}}`))
	if status != http.StatusRequestEntityTooLarge || !bytes.Contains(text, []byte(`"field":"inputs"`)) || d.kept() != before {
		d.T.Errorf("a number of any length: %d %s, left %s", status, text, d.kept())
	}
}

// checkRequirements submits an approved skill with impossible requirements, options and addresses.
// Nothing is installed or read, and the names are told before queueing.
func (d filesDesk) checkRequirements(profile string) {
	d.T.Helper()
	status, text := d.uploadSkill(1, profile, packed(d.T, skillMD("---\nname: wants\ndescription: Wants more\n---\n"),
		member{name: "main.py", content: "import not_there\n"}, member{name: "requirements.txt",
			content: "-r /etc/passwd\n--index-url https://example.com/simple\ngit+https://example.com/x\nNot.Here>=1\n"}))
	var v struct {
		Digest  string
		Missing []string
	}
	if err := json.Unmarshal(text, &v); err != nil || status != http.StatusCreated ||
		fmt.Sprint(v.Missing) != "[not-here not_there]" {
		d.T.Fatalf("%d %s", status, text)
	}
	d.Admin("", "skill", "approve", v.Digest)
	before := d.kept()
	status, text, _ = d.do("POST", "/execute", profile, []byte(`{"skill":"wants"}`))
	if status != http.StatusConflict || !bytes.Contains(text, []byte(`"code":"package_missing"`)) ||
		!bytes.Contains(text, []byte("lacks not-here, not_there")) || d.kept() != before {
		d.T.Errorf("%d %s, left %s", status, text, d.kept())
	}
}
