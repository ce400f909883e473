package markdown

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// allowed lists Render's elements. None has an attribute.
var allowed = []string{"h3", "h4", "h5", "h6", "p", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "br",
	"table", "caption", "thead", "tbody", "tr", "th", "td"}

// inertOnly checks that nothing in a text loads, runs or links.
func inertOnly(t *testing.T, text string) {
	t.Helper()
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			token := z.Token()
			numbers := token.Data == "ol" && len(token.Attr) == 1 && token.Attr[0].Key == "start"
			language := token.Data == "code" && len(token.Attr) == 1 && token.Attr[0].Key == "class"
			if !slices.Contains(allowed, token.Data) || len(token.Attr) > 0 && !numbers && !language {
				t.Errorf("%s in %q", token, text[:min(len(text), 300)])
			}
		case html.CommentToken, html.DoctypeToken:
			t.Errorf("%s in %q", z.Token(), text)
		}
	}
}

func TestMarkdownReadsAsItWasMeant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# Title":                      "<h3>Title</h3>\n",
		"> # Title":                    "<blockquote>\n<h3>Title</h3>\n</blockquote>\n",
		"*a* **b** `c`":                "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n",
		"[here](https://a.example/x)":  "<p>[here](https://a.example/x)</p>\n",
		"<https://a.example>":          "<p>&lt;https://a.example&gt;</p>\n",
		"![logo](https://a.example/x)": "<p>![logo](https://a.example/x)</p>\n",
		"a <b>c</b>":                   "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n",
		"<div>\nx\n</div>":             "<p>&lt;div&gt;\nx\n&lt;/div&gt;</p>\n",
	} {
		if got, ok := Render(text); !ok || got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, ok := Render("| a | b |\n|:-:|--:|\n| 1 | 2 |\n"); !ok || !strings.Contains(got, "<td>1</td>") {
		t.Errorf("a table: %q", got)
	}
}

func TestHostileMarkdownIsInert(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,<script>1</script>)", "<javascript:alert(1)>",
		"[x]: javascript:alert(1) \"t\\\" onclick=\\\"x\"\n\n[x]", "[x](\"onmouseover=alert(1) <img src=x>)",
		"<script>alert(1)</script>", "<img src=https://evil.example/x onerror=alert(1)>", "<!-- <b> -->", "<?php x ?>",
		"<![CDATA[<b>]]>", "<!DOCTYPE x>", "![x](https://evil.example/x.png \"t\")", "![<script>](javascript:x)",
		"<style>*{display:none}</style>", "<a href=\"javascript:x\">y</a>", "&lt;script&gt;", "&#60;script&#62;",
		"``` \"onclick=x\nx\n```", "```a\" b=\"c\nx\n```", "| <script> | [x](javascript:y) |\n|:-:|:-|\n| <img src=x> | x |",
		"a\x00b <b\x00>", "# <script>\n## [a](vbscript:x)", "1000000000) x", "<div\nonclick=x>\n</div>\n\n<pre>\n<b>",
	} {
		got, ok := Render(text)
		if !ok {
			t.Errorf("%q is not rendered", text)
		}
		inertOnly(t, got)
	}
}

// TestLargeAndDeepMarkdownTakesNoTime: it renders at once or not at all.
func TestLargeAndDeepMarkdownTakesNoTime(t *testing.T) {
	t.Parallel()
	for _, part := range []string{">", "> ", "- ", "1. ", "[", "![", "[a](", "*", "*a_", "_*", "`", "`a``", "<", "<a ", "&", "\\",
		"|", "a|\n-|\n", "[a]: x\n", "    ", "\t- a\n", "<!--", "<?", "~~~\n", "# ", "[a][", "](", "***", "\r", ">\n- a\n"} {
		for _, text := range []string{strings.Repeat(part, maxText/len(part)), strings.Repeat(part, 16) + "a"} {
			began := time.Now()
			got, _ := Render(text)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%q takes %v", part, took)
			}
			inertOnly(t, got)
		}
	}
	if _, ok := Render(strings.Repeat("a\n", 5<<20)); ok {
		t.Error("10 MiB are rendered")
	}
	if _, ok := Render(strings.Repeat("> ", 17) + "a"); ok {
		t.Error("deep quotes are rendered")
	}
}
