package executions

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
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
