package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// isNotOthers looks for an artifact as another profile.
func isNotOthers(t *testing.T, in *e2e.Instance, other, uri string) {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: in.URL + "/mcp", HTTPClient: &http.Client{Transport: bearing(other)}}, nil)
	e2e.Must(t, err)
	defer session.Close()
	if got, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
		t.Errorf("another profile reads it: %+v", got)
	}
}

// modelMovesFiles sends files with a tool, reads artifacts as resources, and returns one's address.
func modelMovesFiles(t *testing.T, connect func(*sdk.Client) (*sdk.ClientSession, error)) (uri string) {
	session, err := connect(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil))
	e2e.Must(t, err)
	defer session.Close()
	call := func(name string, args map[string]any) *sdk.CallToolResult {
		t.Helper()
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		e2e.Must(t, err)
		return result
	}
	upload := func(args map[string]any) string {
		t.Helper()
		var file struct {
			ID string `json:"file_id"`
		}
		e2e.Must(t, json.Unmarshal([]byte(strings.TrimSpace(textIn(call("upload_file", args)))), &file))
		return file.ID
	}
	raw := []byte("\x00\xff\x01")
	given := map[string]any{"a.csv": upload(map[string]any{"name": "a.csv", "text": "1,ü\n"}),
		"b.bin": upload(map[string]any{"name": "b.bin", "content": base64.StdEncoding.EncodeToString(raw)})}
	result := call("execute", map[string]any{"files": given, "script": "save_file('ü 1&2.csv', files.open('a.csv').read() * 2)\n" +
		"save_file('b.bin', files.open('b.bin', 'rb').read())\nsave_file('large.bin', bytes(5 << 20))\n" +
		"import os; os.mkdir(os.environ['AIRLOCK_OUT'] + '/dir')"})
	links := map[string]*sdk.ResourceLink{}
	for _, c := range result.Content {
		if link, ok := c.(*sdk.ResourceLink); ok {
			links[link.Name] = link
		}
	}
	text, bin, large := links["ü 1&2.csv"], links["b.bin"], links["large.bin"]
	if result.IsError || len(links) != 3 || text == nil || bin == nil || large == nil || text.MIMEType != "text/csv" || *bin.Size != 3 {
		t.Fatalf("%s\n%+v", textIn(result), links)
	}
	read := func(uri string) (*sdk.ResourceContents, error) {
		got, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || len(got.Contents) != 1 {
			return nil, err
		}
		if got.CacheScope != "private" {
			t.Errorf("caches may serve %s to others: %q", uri, got.CacheScope)
		}
		return got.Contents[0], nil
	}
	if got, err := read(text.URI); err != nil || got.Text != "1,ü\n1,ü\n" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := read(bin.URI); err != nil || !bytes.Equal(got.Blob, raw) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := read(large.URI); err == nil || !strings.Contains(err.Error(), "5 MiB") {
		t.Errorf("a large one: %v", err)
	}
	for _, uri := range []string{strings.Replace(bin.URI, "b.bin", "c.bin", 1), strings.Replace(bin.URI, "exec_", "exec_x", 1),
		"airlock://executions/..%2Ffiles/artifacts/b.bin"} {
		if _, err := read(uri); err == nil {
			t.Errorf("%s is there", uri)
		}
	}
	for field, args := range map[string]map[string]any{"content": {"name": "a"}, "base64": {"name": "a", "content": "%"},
		"name is missing": {"text": "x"}, "larger than 2 MiB": {"name": "a", "text": strings.Repeat("x", 2<<20+1)}} {
		if refused := call("upload_file", args); !refused.IsError || !strings.Contains(textIn(refused), field) {
			t.Errorf("%s: %s", field, textIn(refused))
		}
	}
	template, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(template.ResourceTemplates) != 1 {
		t.Errorf("%+v, %v", template, err)
	}
	return bin.URI
}
