package swap

import (
	"encoding/json"
	"io"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sendBody returns what the host gets of a body; ok is false if it is refused.
func sendBody(t *testing.T, media, body string) (sent string, ok bool) {
	t.Helper()
	_, sent, refusal := send(t, atHome(), home, request(t, "POST", "https://x/", body, "Content-Type", media))
	if refusal == nil && (strings.Contains(sent, phA) || strings.Contains(sent, phB)) {
		t.Errorf("%q was sent", sent)
	}
	return sent, refusal == nil
}

// fill makes placeholders of a mark that fuzzing finds.
func fill(body string) string { return strings.ReplaceAll(body, "@", phA) }

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"k":"@"}`, `{"@":1}`, `["\"@", @]`, `"\\@"`, `"\@"`, `{"a":"x@y@z"`, `@`, `"@`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		sent, ok := sendBody(t, "application/json", fill(body))
		var before, after any
		if !ok || json.Unmarshal([]byte(fill(body)), &before) != nil {
			return
		}
		if err := json.Unmarshal([]byte(sent), &after); err != nil {
			t.Fatalf("%q became %q: %v", body, sent, err)
		}
		if diff := cmp.Diff(expected(before), after); diff != "" {
			t.Errorf("%q became %q: %s", body, sent, diff)
		}
	})
}

// expected is what a receiver of JSON must read.
func expected(value any) any {
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(v, phA, secretA)
	case []any:
		for i := range v {
			v[i] = expected(v[i])
		}
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[strings.ReplaceAll(key, phA, secretA)] = expected(value)
		}
		return out
	}
	return value
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{"k=@", "a=1&@=2&b=%20", "k=@@", "%@", "+@+", "k=%4@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		sent, ok := sendBody(t, "application/x-www-form-urlencoded", fill(body))
		before, err := url.ParseQuery(fill(body))
		if !ok || err != nil {
			return // refused, or not a form
		}
		after, err := url.ParseQuery(sent)
		if err != nil || len(after) != len(before) {
			t.Fatalf("%q became %q: %v", body, sent, err)
		}
		for key, values := range before {
			got := after[strings.ReplaceAll(key, phA, secretA)]
			if strings.ReplaceAll(strings.Join(values, "\n"), phA, secretA) != strings.Join(got, "\n") {
				t.Errorf("%q: %q became %q", key, values, got)
			}
		}
	})
}

func FuzzMultipart(f *testing.F) {
	for _, seed := range []string{
		"--XX\r\nContent-Disposition: form-data; name=k\r\n\r\n@\r\n--XX--\r\n",
		"--XX\r\n\r\n@\r\n--XX\r\nA: @\r\n\r\n\r\n--XX--",
		"--XX\nContent-Type: application/json\n\n[\"@\"]\n--XX--", "pre@\r\n--XX\r\n\r\nx\r\n--XX--@", "--XX--", "--XX\r\n@",
		"--XX  \r\n\r\n--@\r\n--XX--",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if together(split(body, "XX")) != body {
			t.Fatalf("%q was cut into %v", body, split(body, "XX"))
		}
		sent, ok := sendBody(t, "multipart/form-data; boundary=XX", fill(body))
		if !ok {
			return
		}
		before, err := parts(fill(body))
		after, errAfter := parts(sent)
		if (err == nil) != (errAfter == nil) || len(before) != len(after) {
			t.Fatalf("%q became %q: %v, %v", body, sent, err, errAfter)
		}
	})
}

func together(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

func parts(body string) ([]string, error) {
	reader := multipart.NewReader(strings.NewReader(body), "XX")
	var out []string
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return out, err
		}
		out = append(out, string(content))
	}
}

// FuzzIncoming feeds hostile responses: no raw value may remain, and others must not change.
func FuzzIncoming(f *testing.F) {
	for _, seed := range []string{"@", "a@b@@", secretA[:10] + "@", "plain", "\x00@", secretA[:20]} {
		f.Add(seed, uint8(7))
	}
	s := atHome()
	f.Fuzz(func(t *testing.T, body string, size uint8) {
		text := strings.ReplaceAll(body, "@", secretA)
		resp := response("")
		resp.Body = io.NopCloser(&chunked{data: text, sizes: []int{int(size)%64 + 1}})
		if err := s.MaskResponse(home, resp, nil); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if err != nil || strings.Contains(string(got), secretA) {
			t.Fatalf("%q became %q, %v", text, got, err)
		}
		if len(text) < 10 && string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
