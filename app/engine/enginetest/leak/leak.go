// Package leak measures how much of a secret a text shows. It is for tests only.
package leak

import "strings"

// Shown returns the length of the secret's longest prefix or suffix in text, in bytes.
func Shown(text, secret string) int {
	for n := len(secret); n > 0; n-- {
		if strings.Contains(text, secret[:n]) || strings.Contains(text, secret[len(secret)-n:]) {
			return n
		}
	}
	return 0
}
