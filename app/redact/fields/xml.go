package fields

import (
	"encoding/xml"
	"io"
	"strings"
)

// element is one of XML: what its attributes and elements hold by their names, as in JSON, and its own
// text. key is the text of the last element if that was called key, which names the next one in
// property lists.
type element struct {
	name    string
	members map[string]any
	text    strings.Builder
	key     string
}

// xml reads XML, also pieces of it and what is not well-formed. It reports whether something in it is
// secret.
func (r *reader) xml(text string, depth int) bool {
	if !strings.Contains(text, "</") && !strings.Contains(text, "/>") {
		return false
	}
	before := len(r.parts.Fields)
	open := []*element{{members: map[string]any{}}}
	for len(text) > 0 {
		dec := xml.NewDecoder(strings.NewReader(text))
		dec.Strict, dec.Entity = false, xml.HTMLEntity
		dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
		for {
			token, err := dec.RawToken()
			if err != nil {
				break
			}
			if comment, ok := token.(xml.Comment); ok {
				r.structure(string(comment), depth-1)
			}
			if open = pushToken(open, token); len(open) > maxBrackets {
				r.budget = 0 // so any part of it may be secret
				return false
			}
		}
		text = text[max(dec.InputOffset(), 1):]
	}
	for len(open) > 1 {
		open = closeLast(open)
	}
	r.node("", open[0].members, depth)
	return len(r.parts.Fields) > before
}

// pushToken returns the open elements, the innermost one last, after a token.
func pushToken(open []*element, token xml.Token) []*element {
	last := open[len(open)-1]
	switch token := token.(type) {
	case xml.CharData:
		last.text.Write(token)
	case xml.StartElement:
		e := &element{name: token.Name.Local, members: map[string]any{}}
		for _, a := range token.Attr {
			e.add(a.Name.Local, a.Value)
		}
		return append(open, e)
	case xml.EndElement:
		for i := len(open) - 1; i > 0; i-- {
			if open[i].name == token.Name.Local {
				for len(open) > i {
					open = closeLast(open)
				}
				break
			}
		}
	}
	return open
}

// closeLast puts the innermost open element into the one around it.
func closeLast(open []*element) []*element {
	e, parent := open[len(open)-1], open[len(open)-2]
	text := strings.TrimSpace(e.text.String())
	key := parent.key
	parent.key = ""
	if len(e.members) > 0 {
		if text != "" {
			e.add("value", text)
		}
		if key == "" {
			key = e.name
		}
		parent.add(key, e.members)
		return open[:len(open)-1]
	}
	if parent.add(e.name, text); key != "" {
		parent.add(key, text)
	}
	if strings.EqualFold(e.name, "key") {
		parent.key = text
	}
	return open[:len(open)-1]
}

// add adds what stands under a name; of a name that comes again, a list.
func (e *element) add(name string, value any) {
	switch old := e.members[name].(type) {
	case nil:
		e.members[name] = value
	case []any:
		e.members[name] = append(old, value)
	default:
		e.members[name] = []any{old, value}
	}
}
