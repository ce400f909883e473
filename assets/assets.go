package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed css/*.css js/*.js favicon.svg vendor/htmx.min.js vendor/hx-sse.min.js
var files embed.FS

// Prefix is the path under which Handler serves.
const Prefix = "/ui/assets/"

// asset is one file as it is served.
type asset struct {
	url, kind     string
	plain, zipped []byte
}

var table = sync.OnceValue(func() map[string]asset {
	// Join them: htmx starts when loaded and ignores later extensions.
	script := slices.Concat(joinFiles("vendor/*.js"), []byte("\n(() => {\n\"use strict\";\n"), joinFiles("js/*.js"),
		[]byte("})();\n"))
	return map[string]asset{
		"favicon.svg": newAsset("favicon.svg", "image/svg+xml", joinFiles("favicon.svg")),
		"app.css":     newAsset("app.css", "text/css; charset=utf-8", joinFiles("css/*.css")),
		"app.js":      newAsset("app.js", "text/javascript; charset=utf-8", script),
	}
})

// joinFiles concatenates a pattern's files in name order.
func joinFiles(pattern string) (all []byte) {
	names, err := fs.Glob(files, pattern)
	for _, name := range names {
		var data []byte
		if data, err = files.ReadFile(name); err != nil {
			break
		}
		all = append(append(all, data...), '\n')
	}
	if err != nil {
		panic("assets: embedded files are always readable: " + err.Error())
	}
	return all
}

func newAsset(name, kind string, data []byte) asset {
	sum, ext := sha256.Sum256(data), path.Ext(name)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(data) // a bytes.Buffer takes everything
	_ = w.Close()
	return asset{
		url:   Prefix + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext,
		kind:  kind,
		plain: data, zipped: zipped.Bytes(),
	}
}

// URL returns an asset's path, such as /ui/assets/app-3f9c1a2b4c5d.css for app.css. It panics on
// unknown names.
func URL(name string) string {
	a, ok := table()[name]
	if !ok {
		panic(fmt.Sprintf("assets: there is no %q", name))
	}
	return a.url
}

// Handler serves the assets under Prefix with unlimited caching. Anything else is 404.
func Handler() http.Handler {
	mux := http.NewServeMux()
	for _, a := range table() {
		mux.HandleFunc("GET "+a.url, func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h.Set("Content-Type", a.kind)
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
			h.Set("Vary", "Accept-Encoding")
			body := a.plain
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				h.Set("Content-Encoding", "gzip")
				body = a.zipped
			}
			h.Set("Content-Length", strconv.Itoa(len(body)))
			_, _ = w.Write(body) // the client may be gone
		})
	}
	return mux
}
