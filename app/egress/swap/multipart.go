package swap

import (
	"mime"
	"slices"
	"strings"
)

// replaceMultipart replaces placeholders in the parts' content, by each part's type. Headers,
// delimiters, preamble, epilogue and parts that are multipart hold none: hosts log names of fields
// and files.
func (o *outgoing) replaceMultipart(text, boundary string) (string, *Refusal) {
	if boundary == "" {
		return "", refuseBody(RuleBody, "the body is multipart, but its Content-Type names no boundary",
			"Name the boundary in Content-Type.")
	}
	pieces := split(text, boundary)
	var b strings.Builder
	for i, p := range pieces {
		swapped, refusal := o.replacePiece(p)
		if refusal != nil {
			return "", refusal
		}
		b.WriteString(swapped)
		pieces[i].text = swapped
	}
	same := func(a, b piece) bool { return a.kind == b.kind && a.text == b.text }
	if !slices.EqualFunc(split(b.String(), boundary), pieces, same) {
		return "", refuseBody(RuleValue, "a value contains the boundary of the multipart body",
			"Use another boundary, such as a random one.")
	}
	return b.String(), nil
}

// piece is a part's head or content, or the text between parts.
type piece struct {
	kind     pieceKind
	text     string
	media    []string // of a content
	encoding string   // of a content
}

type pieceKind int

const (
	between pieceKind = iota
	partHead
	partContent
)

func (o *outgoing) replacePiece(p piece) (string, *Refusal) {
	switch {
	case p.kind == between:
		return p.text, o.forbid(p.text, "the boundary of the body")
	case p.kind == partHead:
		return p.text, o.forbid(p.text, "the header of a part of the body")
	case p.encoding != "":
		return p.text, o.forbid(p.text, "a part with Content-Transfer-Encoding")
	}
	if media, _, _ := readType(p.media); strings.HasPrefix(media, "multipart/") {
		return p.text, o.forbid(p.text, "a multipart body within another")
	}
	return o.replaceContent(p.text, p.media)
}

// split cuts a body into pieces that together are the body.
func split(text, boundary string) []piece {
	var out []piece
	add := func(kind pieceKind, text string) { out = append(out, piece{kind: kind, text: text}) }
	from, inPart := 0, false
	for at := 0; at < len(text); {
		length, last := delimiter(text[at:], boundary)
		if length == 0 {
			next := strings.IndexByte(text[at:], '\n')
			if next < 0 {
				break
			}
			at += next + 1
			continue
		}
		if inPart {
			begin := at - lineEnd(text[from:at])
			out = append(out, part(text[from:begin])...)
			from = begin
		}
		if last {
			add(between, text[from:])
			return out
		}
		at += length
		add(between, text[from:at])
		from, inPart = at, true
	}
	if inPart {
		return append(out, part(text[from:])...)
	}
	add(between, text[from:])
	return out
}

// delimiter returns the length of the delimiter line that begins the text, or 0.
func delimiter(text, boundary string) (length int, last bool) {
	rest, found := strings.CutPrefix(text, "--"+boundary)
	if !found {
		return 0, false
	}
	rest, last = strings.CutPrefix(rest, "--")
	line, _, _ := strings.Cut(rest, "\n")
	if strings.Trim(line, " \t\r") != "" {
		return 0, false
	}
	length = len(text) - len(rest) + len(line)
	if length < len(text) {
		length++
	}
	return length, last
}

func lineEnd(text string) int {
	return len(text) - len(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"))
}

// part cuts a part into head and content.
func part(text string) []piece {
	end, length := strings.Index(text, "\r\n\r\n"), 4
	if i := strings.Index(text, "\n\n"); end < 0 || i >= 0 && i < end {
		end, length = i, 2
	}
	switch {
	case strings.HasPrefix(text, "\r\n"):
		end, length = 0, 2
	case strings.HasPrefix(text, "\n"):
		end, length = 0, 1
	case end < 0: // no content: nothing may stand there
		return []piece{{kind: between, text: text}}
	}
	head, unfold := text[:end+length], strings.NewReplacer("\r\n ", " ", "\r\n\t", " ", "\n ", " ", "\n\t", " ")
	content := piece{kind: partContent, text: text[end+length:]}
	for line := range strings.SplitSeq(unfold.Replace(head), "\n") {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "content-type":
			content.media = append(content.media, value)
		case "content-transfer-encoding":
			if encoding, _, err := mime.ParseMediaType(value); err != nil || encoding != "binary" && encoding != "8bit" &&
				encoding != "7bit" {
				content.encoding = value
			}
		}
	}
	return []piece{{kind: partHead, text: head}, content}
}
