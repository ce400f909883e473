package executions

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestTablesAreReadStrictly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a,b\n1,2\n":                       {"a|b", "1|2"},
		"\ufeffa;b\r\n\"x;\"\"y\n\";2\r\n": {"a|b", "x;\"y\n|2"},
		"a\tb\n1\t2":                       {"a|b", "1|2"},
		"a,b\n1\n":                         nil,
		"a,b\n\"1,2\n":                     nil,
		"a,b\n1,x\"y\n":                    nil,
	} {
		rows, note := tableOf(text, true)
		var got []string
		for _, row := range rows {
			got = append(got, strings.Join(row, "|"))
		}
		if !slices.Equal(got, want) || (note == "") != (want != nil) {
			t.Errorf("%q: %q, %q", text, got, note)
		}
	}
	// A cut drops the incomplete row.
	for _, cut := range []string{"a,b\n1,2\n3,\"x", "a,b\n1,2\n3"} {
		if rows, note := tableOf(cut, false); len(rows) != 2 || note == "" {
			t.Errorf("%q: %q, %q", cut, rows, note)
		}
	}
	wide := strings.TrimSuffix(strings.Repeat(strings.Repeat("x", 500)+",", 50), ",") + "\n"
	if rows, note := tableOf(strings.Repeat(wide, 200), true); len(rows) != previewRows || len(rows[0]) != previewColumns ||
		len(rows[0][0]) > previewCell+len("…") || note == "" {
		t.Errorf("%d rows of %d columns, %q", len(rows), len(rows[0]), note)
	}
}

func TestImagesAreKnownByTheirHeaders(t *testing.T) {
	t.Parallel()
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	var gifs, jpegs bytes.Buffer
	if err := errors.Join(gif.Encode(&gifs, m, nil), jpeg.Encode(&jpegs, m, nil)); err != nil {
		t.Fatal(err)
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	for want, head := range map[string]string{"image/gif": gifs.String(), "image/jpeg": jpegs.String(), "image/webp": string(webp)} {
		if got, why := imageKind(app.Artifact{Size: int64(len(head))}, []byte(head)); got != want || why != "" {
			t.Errorf("%s: %q %q", want, got, why)
		}
		if got, why := imageKind(app.Artifact{Size: maxImageBytes + 1}, []byte(head)); got != "" || why == "" {
			t.Errorf("a large %s: %q", want, got)
		}
		if got, why := imageKind(app.Artifact{Size: 9}, []byte(head[:14])); got != "" || why == "" {
			t.Errorf("a cut %s: %q %q", want, got, why)
		}
	}
	if got, why := imageKind(app.Artifact{Size: 9}, []byte("BM<script>")); got != "" || why != "" {
		t.Errorf("another format: %q %q", got, why)
	}
}
