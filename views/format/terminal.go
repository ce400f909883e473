package format

import (
	"regexp"
	"strings"
)

// maxSequence bounds a control sequence, to keep the text after an unended title.
const maxSequence = 256

// sequence matches a leading control sequence: colours and movements, titles and links, and short
// ones such as ESC 7. Of an unended title it matches the opening.
var sequence = regexp.MustCompile(`^(?:(?:\x1b\[|\x{9b})[ -?]*[@-~]?` +
	`|(?:\x1b\]|\x{9d})(?:[^\a\x1b\x{9c}]*(?:\a|\x1b\\|\x{9c}))?` +
	`|\x1b(?:[ -/]*[0-~])?)`)

// Plain removes terminal control sequences from text. It takes linear time and removes nothing
// else.
func Plain(text string) string {
	var b strings.Builder
	for {
		at := strings.IndexAny(text, "\x1b\u009b\u009d")
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at:]
		text = text[len(sequence.FindString(text[:min(len(text), maxSequence)])):]
	}
	b.WriteString(text)
	return b.String()
}
