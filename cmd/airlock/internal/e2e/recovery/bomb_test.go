package recovery_test

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

const opening = `{"airlock":{"content":1,"program":"a bomb","instance":"b0","made_at":1,"history":true}}` + "\n"

// bombs unpack to ten gigabytes each, and say nothing wrong before: a line that never ends, and
// line after line that an import would take.
func bombs() map[string][2]string {
	const size = 16 << 20
	zeros := strings.Repeat("0", size)
	execution := `{"execution":{"id":"exec_` + strings.Repeat("0", 26) +
		`","handle":"b0","profile_handle":"b0","status":"completed","injected":[],` +
		`"submitted_by":{"kind":"agent"},"manifest":{}}}` + "\n"
	return map[string][2]string{
		"endless line": {opening + `{"credential":{"id":"b0","name":"`, zeros},
		"many lines": {opening + execution,
			`{"output":{"stdout":"` + zeros + `","stderr":"","result":null,"segments":[]}}` + "\n"},
	}
}

// writeBomb writes a file as docs/airlock-file.md describes it, without Airlock's own writer:
// begin, and then so often the same that it is ten gigabytes. The compressed form of one repetition
// is repeated as it is, so no machine has to compress all of that.
func writeBomb(t *testing.T, path, begin, again string) {
	t.Helper()
	const tenGigabytes = 10 << 30
	var packed bytes.Buffer
	packed.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	e2e.Must(t, err)
	piece := func(text string) []byte {
		from := packed.Len()
		_, err := io.WriteString(w, text)
		e2e.Must(t, err)
		e2e.Must(t, w.Flush())
		return bytes.Clone(packed.Bytes()[from:])
	}
	piece(begin)
	piece(again)
	block := piece(again) // what is before it is the same for each that follows
	for n := 2 * len(again); n < tenGigabytes; n += len(again) {
		packed.Write(block)
	}
	e2e.Must(t, os.WriteFile(path, sealPieces(t, packed.Bytes()), 0o600))
}

// sealPieces makes the container around packed content.
func sealPieces(t *testing.T, packed []byte) []byte {
	t.Helper()
	out := append([]byte("AIRLOCK\x1a"), 0, 1)
	for _, n := range []uint32{8, 1, 1} { // of Argon2id: KiB, passes, lanes
		out = binary.BigEndian.AppendUint32(out, n)
	}
	salt := make([]byte, 16)
	_, err := rand.Read(salt)
	e2e.Must(t, err)
	out = append(out, salt...)
	root := argon2.IDKey([]byte(movingWords), salt, 1, 8, 1, 32)
	derive := func(info string) []byte {
		key, err := hkdf.Expand(sha256.New, root, info, 32)
		e2e.Must(t, err)
		return key
	}
	mac := hmac.New(sha256.New, derive("airlock file header"))
	mac.Write(out)
	out = mac.Sum(out)
	header := bytes.Clone(out)
	block, err := aes.NewCipher(derive("airlock file chunks"))
	e2e.Must(t, err)
	gcm, err := cipher.NewGCM(block)
	e2e.Must(t, err)
	for number := uint64(0); ; number++ {
		n := min(65_536, len(packed))
		nonce := make([]byte, 12)
		binary.BigEndian.PutUint64(nonce[3:], number)
		if n == len(packed) {
			nonce[11] = 1
		}
		out = gcm.Seal(out, nonce, packed[:n], header)
		if packed = packed[n:]; len(packed) == 0 {
			return out
		}
	}
}

// TestAnArchiveThatUnpacksToTenGigabytesChangesNothing goes through the page, the commands and a
// restore. Each says what is wrong, and the database and the data directory are as before.
func TestAnArchiveThatUnpacksToTenGigabytesChangesNothing(t *testing.T) {
	// Not beside other tests: the password that was typed counts for five minutes.
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	in.Admin("kept-secret-value-0123456789", "credential", "set", "TOKEN", "--mode", "injected")
	profile := in.Admin("", "profile", "create", "--description", "stays", "--key", "TOKEN")
	in.Admin("", "profile", "lock", profile)
	in.Await(in.Submit(profile, "set_result(1)", 30*time.Second), 30*time.Second)
	person := in.Person()
	dir := t.TempDir()
	words := filepath.Join(dir, "words")
	e2e.Must(t, os.WriteFile(words, []byte(movingWords+"\n"), 0o600))
	before, files := hashRows(in), listFiles(in)
	empty := t.TempDir()
	for name, bomb := range bombs() {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".airlock")
		writeBomb(t, file, bomb[0], bomb[1])
		info, err := os.Stat(file)
		e2e.Must(t, err)
		if info.Size() > 20<<20 {
			t.Errorf("%s: the file has %d bytes", name, info.Size())
		}
		want := map[string]string{"endless line": "longer than 64 MiB",
			"many lines": "unpacks to far more than its size"}[name]
		if page := upload(in, person, file); !strings.Contains(strings.ToLower(page), strings.ToLower(want)) ||
			!strings.Contains(page, "Nothing was changed") {
			t.Errorf("%s: the page says %.3000s", name, page)
		}
		for _, command := range [][]string{{"import", "--preview", file}, {"restore", file}} {
			// two gigabytes are read before this shows: the page's reader, which has done so, is the
			// commands' too
			if name == "many lines" {
				continue
			}
			env := in.Env
			if command[0] == "restore" {
				env = append(env, "AIRLOCK_DATA_DIR="+empty)
			}
			run := exec.Command(in.Binary, append(append([]string{"admin"}, command...), "--passphrase-file", words)...)
			run.Env = env
			if out, err := run.CombinedOutput(); err == nil || !strings.Contains(string(out), want) ||
				!strings.Contains(string(out), "Nothing was changed") {
				t.Errorf("%s: %v: %v %s", name, command[0], err, out)
			}
		}
		if left, err := filepath.Glob(filepath.Join(empty, "airlock.db*")); err != nil || len(left) > 0 {
			t.Errorf("%s: a restore left %v, %v", name, left, err)
		}
	}
	if now := hashRows(in); now != before {
		t.Errorf("the database was changed: %s, now %s", before, now)
	}
	if now := listFiles(in); now != files {
		t.Errorf("the data directory was changed: %s, now %s", files, now)
	}
	if peak := peakMemory(in); peak > 1<<30 {
		t.Errorf("the server took %d MiB", peak>>20)
	}
	if x := in.Await(in.Submit(profile, "set_result(2)", 30*time.Second), 30*time.Second); x.Status != "completed" {
		t.Errorf("%+v", x)
	}
}

// upload sends a file to the page for imports and returns what the page says in the end.
func upload(in *e2e.Instance, person e2e.Visitor, file string) string {
	in.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	e2e.Must(in.T, form.WriteField("passphrase", movingWords))
	part, err := form.CreateFormFile("file", filepath.Base(file))
	e2e.Must(in.T, err)
	content, err := os.ReadFile(file)
	e2e.Must(in.T, err)
	_, err = part.Write(content)
	e2e.Must(in.T, err)
	e2e.Must(in.T, form.Close())
	response, err := person.Client.Post(in.URL+"/ui/settings/move/import", form.FormDataContentType(), &body)
	e2e.Must(in.T, err)
	e2e.Must(in.T, response.Body.Close())
	page := response.Request.URL.String()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		response, err := person.Client.Get(page)
		e2e.Must(in.T, err)
		text, err := io.ReadAll(response.Body)
		e2e.Must(in.T, err)
		e2e.Must(in.T, response.Body.Close())
		if response.StatusCode != http.StatusOK {
			in.T.Fatalf("%s: %d", page, response.StatusCode)
		}
		if response.Header.Get("Refresh") == "" {
			_, text, _ := strings.Cut(string(text), "<main")
			return text
		}
	}
	in.T.Fatal("the upload is not judged")
	return ""
}

// hashRows is a digest of everything that people and agents have stored, table by table. Settings
// and sessions are left out: a running server writes there by itself.
func hashRows(in *e2e.Instance) string {
	in.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.Dir, "airlock.db")+"?_pragma=busy_timeout(10000)&mode=ro")
	e2e.Must(in.T, err)
	defer db.Close()
	var list []string
	for _, table := range []string{"credentials", "credential_versions", "profiles", "profile_keys", "profile_hosts",
		"policies", "executions", "execution_scripts", "execution_outputs", "execution_values",
		"execution_stats", "llm_exchanges", "connections", "redaction_hits", "people", "invitations", "audit_events",
		"audit_archive", "backups"} {
		rows, err := db.QueryContext(in.T.Context(), "SELECT * FROM "+table)
		e2e.Must(in.T, err)
		columns, err := rows.Columns()
		e2e.Must(in.T, err)
		sum, n := sha256.New(), 0
		for ; rows.Next(); n++ {
			cells := make([]any, len(columns))
			for i := range cells {
				cells[i] = &sql.RawBytes{}
			}
			e2e.Must(in.T, rows.Scan(cells...))
			for _, c := range cells {
				fmt.Fprintf(sum, "%q,", *c.(*sql.RawBytes))
			}
		}
		e2e.Must(in.T, rows.Err())
		e2e.Must(in.T, rows.Close())
		list = append(list, fmt.Sprintf("%s %d %x", table, n, sum.Sum(nil)[:4]))
	}
	return strings.Join(list, ", ")
}

// listFiles are the names in the data directory.
func listFiles(in *e2e.Instance) string {
	in.T.Helper()
	entries, err := os.ReadDir(in.Dir)
	e2e.Must(in.T, err)
	names := ""
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}

// peakMemory is the most memory that the server had so far, in bytes.
func peakMemory(in *e2e.Instance) (bytes int64) {
	in.T.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", in.Server.Process.Pid))
	e2e.Must(in.T, err)
	_, line, found := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscanf(line, "%d kB", &bytes); err != nil || !found {
		in.T.Fatalf("no VmHWM: %v", err)
	}
	return bytes << 10
}
