package executionview

import (
	"regexp"
	"slices"
)

// settingsUse matches a use of settings; its group, a quoted key.
var settingsUse = regexp.MustCompile(`\bsettings\b(\s*(?:\.\s*get\s*\(|\[)\s*["'])?`)

// settingsImport matches an import of settings, which reads nothing.
var settingsImport = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+airlock[ \t]+import[^\n]*`)

// readKeys divides keys into read and unread. A script that uses settings other than by a key's
// name may read any.
func readKeys(script string, keys []string) (read, unread []string) {
	for _, use := range settingsUse.FindAllStringSubmatch(settingsImport.ReplaceAllString(script, ""), -1) {
		if use[1] == "" {
			return keys, nil
		}
	}
	words := wordsOf(script, keys)
	for _, k := range keys {
		if slices.Contains(words, k) {
			read = append(read, k)
		} else {
			unread = append(unread, k)
		}
	}
	return read, unread
}

var word = regexp.MustCompile(`\w+`)

// wordsOf returns the names that a text contains as words.
func wordsOf(text string, names []string) (found []string) {
	for _, w := range word.FindAllString(text, -1) {
		if slices.Contains(names, w) && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}
