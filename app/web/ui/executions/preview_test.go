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

func TestTableOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a,b\n1,2\n":                       {"a|b", "1|2"},
		"\ufeffa;b\r\n\"x;\"\"y\n\";2\r\n": {"a|b", "x;\"y\n|2"},
		"a\tb\n1\t2":                       {"a|b", "1|2"},
		"a,b\n1\n":                         nil,
		"a,b\n\"1,2\n":                     nil,
		"a,b\n1,x\"y\n":                    nil,
	} {
		var got []string
		for _, row := range tableOf(text, true) {
			got = append(got, strings.Join(row, "|"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	if rows := tableOf("a,b\n1,2\n3,\"x", false); len(rows) != 2 {
		t.Errorf("with a row that is cut off: %q", rows)
	}
	if rows := tableOf(strings.Repeat("1,2\n", 200), true); len(rows) != previewRows {
		t.Errorf("%d rows", len(rows))
	}
}
