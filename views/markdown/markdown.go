package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxText is how many bytes are rendered at most.
const maxText = 24 << 10

// deep matches a line with more quotes and lists than people nest. They take quadratic time.
var deep = regexp.MustCompile(`(?m)^[ \t]*(?:>[ \t]*|[-*+][ \t]+|[0-9]+[.)][ \t]+){17}`)

// Render returns Markdown as HTML that loads nothing. Raw HTML, links and images stay as they are
// written. ok is false for text that is too long or too deep.
func Render(source string) (html string, ok bool) {
	if len(source) > maxText || deep.MatchString(source) {
		return "", false
	}
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)) // no inline style
	md := goldmark.New(goldmark.WithParser(inertParser()), goldmark.WithExtensions(table))
	var out bytes.Buffer
	if err := md.Convert([]byte(source), &out); err != nil {
		return "", false
	}
	// The text's own tags are escaped, so these are the renderer's.
	return strings.ReplaceAll(out.String(), "<table>", "<table><caption>A table in the text</caption>"), true
}

// inertParser parses nothing that would load or lead somewhere.
func inertParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(slices.DeleteFunc(parser.DefaultBlockParsers(), func(p util.PrioritizedValue) bool {
			return p.Value == parser.NewHTMLBlockParser()
		})...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewEmphasisParser(), 500)),
		parser.WithASTTransformers(util.Prioritized(lowerHeadings{}, 100)),
	)
}

// lowerHeadings puts headings below those of the page.
type lowerHeadings struct{}

// Transform implements parser.ASTTransformer.
func (lowerHeadings) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(6, h.Level+2)
		}
		return ast.WalkContinue, nil
	})
}
