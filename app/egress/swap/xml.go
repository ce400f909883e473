package swap

import "strings"

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#9;",
	"\n", "&#10;", "\r", "&#13;")

// fitXML escapes for text and attribute values. In CDATA the value stands as it is.
func fitXML(text string) fit {
	sections := xmlSections{text: text}
	return func(value string, at int) (string, string) {
		if strings.ContainsFunc(value, func(r rune) bool { return isControl(r) && !strings.ContainsRune("\t\n\r\x7f", r) }) {
			return "", "it contains a control character, which XML can't"
		}
		escaped := xmlEscapes.Replace(value)
		switch end := sections.endAfter(at); {
		case end == "" || escaped == value:
			return escaped, ""
		case end != endOfCDATA:
			return "", "it would have to be escaped, which a comment or an instruction can't"
		case strings.Contains(value, "]]") || strings.HasPrefix(value, ">") || strings.HasPrefix(value, "]") ||
			strings.HasSuffix(value, "]"):
			return "", "it could end a CDATA section"
		}
		return value, ""
	}
}

const endOfCDATA = "]]>"

// sectionEnds maps beginnings of unescaped sections to their ends.
var sectionEnds = [...]struct{ begin, end string }{{"<![CDATA[", endOfCDATA}, {"<!--", "-->"}, {"<?", "?>"}}

// xmlSections tells the sections of ascending places.
type xmlSections struct {
	text string
	pos  int
	end  string // of the section at pos, or ""
}

// endAfter returns the section's end at a place that is no boundary, or "".
func (x *xmlSections) endAfter(at int) string {
	for x.pos < at {
		rest := x.text[x.pos:at]
		if x.end != "" {
			i := strings.Index(rest, x.end)
			if i < 0 {
				break
			}
			x.pos += i + len(x.end)
			x.end = ""
			continue
		}
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		x.pos += i + 1
		for _, s := range sectionEnds {
			if strings.HasPrefix(rest[i:], s.begin) {
				x.end = s.end
				x.pos += len(s.begin) - 1
				break
			}
		}
	}
	x.pos = max(x.pos, at)
	return x.end
}
