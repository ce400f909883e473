package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

const (
	maxText   = 24 << 10 // bytes that are rendered
	maxNested = 16       // quotes and lists that begin in one line
)

// Render returns Markdown as HTML that loads nothing. Raw HTML and links become text, images their
// description and address. ok is false for text that is too long or too deep.
func Render(text string) (html string, ok bool) {
	if len(text) > maxText || nested(text) {
		return "", false
	}
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)) // no inline style
	md := goldmark.New(goldmark.WithExtensions(table), goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(inert{}, 1))))
	var out bytes.Buffer
	if err := md.Convert([]byte(text), &out); err != nil {
		return "", false
	}
	// The text's own tags are escaped, so these are the renderer's.
	return strings.ReplaceAll(out.String(), "<table>", "<table><caption>A table in the text</caption>"), true
}

// nested reports whether a line nests more quotes and lists than people write.
func nested(text string) bool {
	for line := range strings.Lines(text) {
		n := 0
		for i := 0; i < len(line) && strings.IndexByte(" \t>*+-.)0123456789", line[i]) >= 0; i++ {
			begins := i+1 < len(line) && strings.IndexByte("*+-.)", line[i]) >= 0 &&
				strings.IndexByte(" \t", line[i+1]) >= 0
			if line[i] == '>' || begins {
				n++
			}
		}
		if n > maxNested {
			return true
		}
	}
	return false
}

// inert renders what would load or lead somewhere.
type inert struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (inert) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && !entering {
			address(w, link.Destination)
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && !entering {
			address(w, image.Destination)
		} else {
			_, _ = w.WriteString("Image: ")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.AutoLink); ok && entering {
			code(w, link.URL(source))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, ok := n.(*ast.RawHTML); ok && entering {
			code(w, raw.Segments.Value(source))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (
		ast.WalkStatus, error) {
		if block, ok := n.(*ast.HTMLBlock); ok && entering {
			text := block.Lines().Value(source)
			if block.HasClosure() {
				text = append(text[:len(text):len(text)], block.ClosureLine.Value(source)...)
			}
			_, _ = w.WriteString("<pre>")
			code(w, text)
			_, _ = w.WriteString("</pre>\n")
		}
		return ast.WalkContinue, nil
	})
}

// heading stands below those of the page.
func heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := 3
	if h, ok := n.(*ast.Heading); ok {
		level = min(6, h.Level+2)
	}
	tag := "<h"
	if !entering {
		tag = "</h"
	}
	_, _ = w.WriteString(tag)
	_ = w.WriteByte(byte('0' + level))
	_, _ = w.WriteString(">")
	return ast.WalkContinue, nil
}

func address(w util.BufWriter, to []byte) {
	_, _ = w.WriteString(" (")
	code(w, to)
	_, _ = w.WriteString(")")
}

func code(w util.BufWriter, text []byte) {
	_, _ = w.WriteString("<code>")
	_, _ = w.Write(util.EscapeHTML(text))
	_, _ = w.WriteString("</code>")
}
