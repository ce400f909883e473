package encodings

import "strings"

// markup and shells are how XML, HTML, shells and SQL have a text between quotes.
var (
	markup = []*strings.Replacer{
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;"),
	}
	shells = []*strings.Replacer{
		strings.NewReplacer("'", `'"'"'`),
		strings.NewReplacer("'", `'\''`),
		strings.NewReplacer("'", `''`),
		strings.NewReplacer(`"`, `""`),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`"),
	}
)
