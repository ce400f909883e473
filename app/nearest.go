package app

import "strings"

// Nearest returns the likely meaning of a mistyped word, or "". It allows two edits (one for words
// under five letters) and ignores letter case and "-" against "_".
func Nearest(word string, candidates []string) string {
	word = foldWord(word)
	if word == "" || len(word) > 64 {
		return ""
	}
	best, limit := "", 2
	if len(word) < 5 {
		limit = 1
	}
	for _, c := range candidates {
		if d := editDistance(word, foldWord(c)); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

func foldWord(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// editDistance counts the insertions, deletions and replacements of bytes from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
