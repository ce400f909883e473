package imports

import (
	"regexp"
	"strings"
)

// Patterns of a script's lines. What begins a line is no part of another statement, but for text in
// triple quotes and lines that go on.
var (
	importLine = regexp.MustCompile(`^import[ \t]+([^#;]+)`)
	fromLine   = regexp.MustCompile(`^from[ \t]+([^\s#;]+)[ \t]+import[ \t]+([^#;]+)`)
	name       = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)*$`)
)

// AtTop returns the modules that a script's statements at column 0 may import, in order, each once.
// What is imported from a module may be one in it, so that counts as one too.
func AtTop(script string) (modules []string) {
	seen := map[string]bool{}
	add := func(module string) {
		if name.MatchString(module) && !seen[module] {
			seen[module] = true
			modules = append(modules, module)
		}
	}
	quotes, joined := "", false
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\r\n")
		if quotes == "" && !joined {
			addStatement(line, add)
		}
		quotes = quotesAfter(line, quotes)
		joined = strings.HasSuffix(line, `\`)
	}
	return modules
}

func addStatement(line string, add func(module string)) {
	if m := importLine.FindStringSubmatch(line); m != nil {
		for item := range strings.SplitSeq(m[1], ",") {
			add(firstWord(item))
		}
	} else if m := fromLine.FindStringSubmatch(line); m != nil {
		add(m[1])
		for item := range strings.SplitSeq(strings.Trim(m[2], " \t()\\"), ",") {
			add(m[1] + "." + firstWord(item))
		}
	}
}

// firstWord returns what stands before "as".
func firstWord(item string) string {
	words := strings.Fields(item)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// quotesAfter returns the triple quotes that are open after a line, which begins inside of some or
// (with "") of none. It takes time that grows with the line only: agents write them.
func quotesAfter(line, open string) string {
	for line != "" {
		switch {
		case open != "":
			rest, ended := skipQuoted(line, open)
			if !ended {
				return open
			}
			line, open = rest, ""
		case strings.HasPrefix(line, `"""`), strings.HasPrefix(line, "'''"):
			open, line = line[:3], line[3:]
		case line[0] == '#':
			return ""
		case line[0] == '"', line[0] == '\'':
			rest, ended := skipQuoted(line[1:], line[:1])
			if !ended {
				return "" // it goes on after a backslash, or is no Python
			}
			line = rest
		default:
			line = line[1:]
		}
	}
	return open
}

// skipQuoted returns what comes after the end of a text in quotes, which a backslash hides.
func skipQuoted(text, quotes string) (rest string, ended bool) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if strings.HasPrefix(text[i:], quotes) {
			return text[i+len(quotes):], true
		}
	}
	return "", false
}
