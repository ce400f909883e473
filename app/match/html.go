package match

import (
	"html"
	"strings"
	"unicode/utf8"
)

// readReference reads an HTML reference; numbers may lack the semicolon.
func (r *readings) readReference(data []byte, at int) {
	if data[at] != '#' {
		r.readNamed(data, at)
		return
	}
	base, most := 10, 9
	if at++; at < len(data) && data[at]|0x20 == 'x' {
		base, most = 16, 8
		at++
	}
	c, end := readNumber(data, at, base, most)
	if end == at {
		return
	}
	r.addRune(end, c)
	if end < len(data) && data[end] == ';' {
		r.addRune(end+1, c)
	}
}

func (r *readings) readNamed(data []byte, at int) {
	end := at
	for end < min(len(data), maxEscape) && isName(data[end]) {
		end++
	}
	if end < at+2 || end == len(data) || data[end] != ';' {
		return
	}
	text := "&"
	if name := data[at:end]; string(name) != "amp" { // by far the most frequent
		text = asciiNames[string(name)]
	}
	if text == "" && r.wide {
		if text = html.UnescapeString("&" + string(data[at:end+1])); text[0] == '&' || len(text) > utf8.UTFMax {
			return
		}
	}
	if text != "" {
		r.addText(end+1, text)
	}
}

var asciiNames = func() map[string]string {
	names := map[string]string{}
	for pair := range strings.FieldsSeq("amp& AMP& apos' ast* midast* bsol\\ colon: comma, commat@ dollar$ equals= " +
		"excl! grave` gt> GT> Hat^ lcub{ lbrace{ lowbar_ UnderBar_ lpar( lsqb[ lbrack[ lt< LT< num# percnt% period. " +
		"plus+ quest? quot\" QUOT\" rcub} rbrace} rpar) rsqb] rbrack] semi; sol/ verbar| vert|") {
		names[pair[:len(pair)-1]] = pair[len(pair)-1:]
	}
	names["fjlig"], names["NewLine"], names["Tab"] = "fj", "\n", "\t"
	return names
}()
