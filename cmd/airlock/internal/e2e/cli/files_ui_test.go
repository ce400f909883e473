package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// leavesPreviews leaves one file of each kind for the execution's page.
const leavesPreviews = `
import struct, zlib
def png(width, height):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes(10))) + chunk(b"IEND", b""))
given = files.open("a.csv").read() if "a.csv" in files else "none"
save_file("given.txt", given + str(inputs))
save_file("page.html", "<script>alert(1)</script><b>bold</b>")
save_file("table.csv", "month,revenue\n10,<b>7</b>\n11,'8'\n")
save_file("large.csv", "n,text\n" + "".join(f"{i},{'x' * 99}\n" for i in range(5000)))
save_file("chart.png", png(3, 2))
save_file("huge.png", png(60000, 60000))
save_file("false.png", b"\x89PNG\r\n\x1a\n<script>alert(1)</script>")
save_file("active.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
save_file("paper.pdf", b"%PDF-1.7\n\xff\xff")
save_file("empty.bin", b"")
`

// TestPeoplePreviewArtifacts shows artifacts without scripts: text and images, nothing that
// a browser would run.
func TestPeoplePreviewArtifacts(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	person := d.Person()
	profile := d.PlaceProfile("bubblewrap")
	if x := d.run(profile, map[string]any{"script": leavesPreviews,
		"files": map[string]string{"a.csv": d.upload(profile, "a.csv", []byte("1,2\n"))}}); x.Status != "completed" {
		t.Fatalf("%+v", x)
	}
	page := e2e.ExecutionLink.FindString(person.Get(d.Instance, "/ui/executions"))
	preview := func(name string) string {
		t.Helper()
		_, text, found := strings.Cut(person.Get(d.Instance, page+"?preview="+name), `id="preview"`)
		if !found {
			t.Errorf("%s: no preview", name)
		}
		text, _, _ = strings.Cut(text, "</section>")
		return text
	}
	image := page + "/image?name="
	for name, want := range map[string]string{"given.txt": "<pre>1,2\nNone</pre>", "page.html": "&lt;script&gt;alert(1)",
		"table.csv": "<td>&lt;b&gt;7&lt;/b&gt;</td>", "large.csv": "This is the beginning",
		"chart.png": `src="` + image + `chart.png"`, "huge.png": "too large to be shown (60000 × 60000)", "false.png": "damaged",
		"active.svg": "&lt;svg", "paper.pdf": "no preview of this kind", "empty.bin": "is empty"} {
		text := preview(name)
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s", name, text)
		}
		if strings.Contains(text, "<script") || strings.Contains(text, "<b>") || strings.Contains(text, "<svg") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if text := person.Get(d.Instance, page+"?preview=none"); strings.Contains(text, `id="preview"`) {
		t.Error("what was not left has a preview")
	}
	for name, want := range map[string]int{"chart.png": 200, "huge.png": 404, "false.png": 404, "active.svg": 404, "page.html": 404} {
		response, err := person.Client.Get(d.URL + image + name)
		e2e.Must(t, err)
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		h := response.Header
		if response.StatusCode != want {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
		if want == 200 && (h.Get("Content-Type") != "image/png" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox;") ||
			h.Get("X-Content-Type-Options") != "nosniff" || !bytes.HasPrefix(body, []byte("\x89PNG"))) {
			t.Errorf("%s: %v", name, h)
		}
	}
	if response, err := http.Get(d.URL + image + "chart.png"); err != nil || response.Header.Get("Content-Type") == "image/png" {
		t.Errorf("an image for who is not logged in: %v", err)
	}
	d.rerunsWithFiles(person, page)
}

// rerunsWithFiles sends an execution's form with other inputs. The new one gets the same files.
func (d filesDesk) rerunsWithFiles(person e2e.Visitor, page string) {
	d.T.Helper()
	send := func(fields url.Values) (path, text string) {
		d.T.Helper()
		response, err := person.Client.PostForm(d.URL+page+"/rerun", fields)
		e2e.Must(d.T, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		e2e.Must(d.T, err)
		return response.Request.URL.Path, string(body)
	}
	first := page
	page, _ = send(url.Values{"inputs": {`{"n": 1}`}, "timeout": {"33"}})
	text := ""
	e2e.Eventually(d.T, 30*time.Second, "the re-run has ended", func() bool {
		text = person.Get(d.Instance, page+"?preview=given.txt")
		return strings.Contains(text, `id="preview"`)
	})
	if page == first || !strings.Contains(text, "of 33") || !strings.Contains(text, `id="files"`) {
		d.T.Error("the new execution has another time limit or no file")
	}
	if _, given, _ := strings.Cut(text, `id="preview"`); !strings.Contains(given, "<pre>1,2\n{") {
		d.T.Errorf("the script got another file: %.300s", given)
	}
	compared := person.Get(d.Instance, page+"/compare?with="+first[strings.LastIndex(first, "/")+1:])
	if !strings.Contains(compared, `id="diff-artifacts"`) || !strings.Contains(compared, `id="diff-files"`) {
		d.T.Error("the comparison lists no files")
	}
	for wrong, fields := range map[string]url.Values{"not valid JSON": {"inputs": {"{"}}, "number of seconds": {"timeout": {"x"}}} {
		if _, text := send(fields); !strings.Contains(text, wrong) {
			d.T.Errorf("%v: it is not refused", fields)
		}
	}
}
