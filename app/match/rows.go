package match

// nextRun returns the next place at or after at from which least bytes in a row are near, or blanks and plus signs that also takes. Without one it
// returns the length of data. It looks at the last byte of a row first, so it skips most of what is not near.
func nextRun(data []byte, at, least int, near *[256]bool, also func(data []byte, at int) bool) int {
	for at+least <= len(data) {
		last := at + least - 1
		for last >= at && (near[data[last]] || data[last] <= '+' && also(data, last)) {
			last--
		}
		if last < at {
			return at
		}
		at = last + 1
	}
	return len(data)
}

// endOfRun returns where the run that goes on at a place ends.
func endOfRun(data []byte, at int, near *[256]bool, also func(data []byte, at int) bool) int {
	for at < len(data) && (near[data[at]] || data[at] <= '+' && also(data, at)) {
		at++
	}
	return at
}

func never([]byte, int) bool { return false }

// maxIndent is how many blanks indent a line at most.
const maxIndent = 64

// isIndent reports whether a space or tab is one of the first maxIndent of a line.
func isIndent(data []byte, at int) bool {
	if data[at] > ' ' {
		return false
	}
	for least := max(0, at-maxIndent); at > least && (data[at] == ' ' || data[at] == '\t'); at-- {
	}
	return data[at] == '\n'
}

// endsEscape reports whether a blank, or a plus sign for one, may end an escape of CSS or follows the break of a line that is folded.
func endsEscape(data []byte, at int) bool {
	if data[at] != ' ' && data[at] != '+' && data[at] != '\t' {
		return false
	}
	for i := at - 1; i >= max(0, at-maxEscape); i-- {
		if isLead(data[i]) {
			return true
		}
	}
	return false
}

func setOf(text string) (set [256]bool) {
	for i := range len(text) {
		set[text[i]] = true
	}
	return set
}
