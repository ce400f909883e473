package executionview

import (
	"regexp"
	"slices"
)

// settingsUse is a use of settings in a script; with a group if it names one key in quotes.
var settingsUse = regexp.MustCompile(`\bsettings\b(\s*(?:\.\s*get\s*\(|\[)\s*["'])?`)

// settingsImport is an import of settings, which reads nothing.
var settingsImport = regexp.MustCompile(`(?m)^[ \t]*from[ \t]+airlock[ \t]+import[^\n]*`)

// readKeys divides keys into those that a script reads, and those that it was given for nothing. A
// script that uses settings in another way than by a key's name may read any.
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

// wordsOf returns those of the names that stand in a text as words.
func wordsOf(text string, names []string) (found []string) {
	for _, w := range word.FindAllString(text, -1) {
		if slices.Contains(names, w) && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}
