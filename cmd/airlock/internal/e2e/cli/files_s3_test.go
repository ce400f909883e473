//go:build s3

package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/blobs/s3test"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestFilesGoThroughABucket: files and artifacts go sealed into the bucket from Settings. They are
// read from there, also after a restart.
func TestFilesGoThroughABucket(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	person, profile := d.Person(), d.PlaceProfile("bubblewrap")
	at := blobs.S3{Endpoint: s3test.Start(t), Bucket: s3test.Bucket, Prefix: "airlock/files", PathStyle: true,
		AccessKey: s3test.AccessKey, SecretKey: app.NewSecret(s3test.SecretKey)}
	saved, err := person.Client.PostForm(d.URL+"/ui/settings/backups", url.Values{"every": {"daily"}, "keep": {"3"},
		"kind": {"s3"}, "endpoint": {at.Endpoint}, "bucket": {at.Bucket}, "prefix": {"airlock"}, "path_style": {"yes"},
		"access_key": {at.AccessKey}, "secret_key": {s3test.SecretKey}, "files": {"yes"}})
	e2e.Must(t, err)
	saved.Body.Close()
	if saved.StatusCode != http.StatusOK {
		t.Fatal(saved.Status)
	}
	if page := person.Get(d.Instance, "/ui/settings/backups"); !strings.Contains(page, `name="files" value="yes" checked`) {
		t.Error("the page doesn't show that files go there")
	}
	bucket, err := blobs.OpenS3(at)
	e2e.Must(t, err)
	content := bytes.Repeat([]byte("1,an order\n"), 1<<18)
	id := d.upload(profile, "orders.csv", content)
	const script = "text = files.open('orders.csv').read()\nsave_file('upper.csv', text.upper())\nset_result(len(text))"
	x := d.run(profile, map[string]any{"script": script, "files": map[string]string{"orders.csv": id}})
	if x.Status != "completed" || x.Result != float64(len(content)) || len(x.Artifacts) != 1 {
		t.Fatalf("%+v", x)
	}
	objects, err := bucket.List(t.Context(), "")
	if err != nil || len(objects) != 2 {
		t.Fatalf("in the bucket: %v, %v", objects, err)
	}
	for _, o := range objects {
		sealed, err := bucket.Get(t.Context(), o.Name)
		e2e.Must(t, err)
		text, err := io.ReadAll(sealed)
		e2e.Must(t, err)
		sealed.Close()
		if bytes.Contains(bytes.ToLower(text), []byte("order")) {
			t.Errorf("%s is not sealed", o.Name)
		}
	}
	if local, err := filepath.Glob(filepath.Join(d.Dir, "files", "airlock-blob-*")); err != nil || len(local) != 0 {
		t.Errorf("in the directory: %v, %v", local, err)
	}
	d.Stop()
	d.Start()
	status, text, _ := d.do("GET", "/executions/"+x.ExecutionID+"/artifacts/upper.csv", profile, nil)
	if status != http.StatusOK || !bytes.Equal(text, bytes.ToUpper(content)) {
		t.Errorf("downloaded: %d, %d bytes", status, len(text))
	}
	if status, text, _ := d.do("DELETE", "/files/"+id, profile, nil); status >= 300 {
		t.Errorf("deleted: %d %s", status, text)
	}
	status, text, _ = d.do("POST", "/execute", profile, []byte(`{"script":"1","files":{"a":"`+id+`"}}`))
	if status < 400 || !bytes.Contains(text, []byte("file_not_found")) {
		t.Errorf("after it was deleted: %d %s", status, text)
	}
}
