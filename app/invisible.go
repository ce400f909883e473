package app

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// invisible are characters that are unseen or change how others are seen.
// Default_Ignorable_Code_Point is derived from the tables of its second line
// (DerivedCoreProperties.txt of Unicode), less some that count here as well.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Zl, unicode.Zp,
	unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	unicode.Co, unicode.Noncharacter_Code_Point, // nobody has agreed on how they look
	// Blanks without a property: an empty Braille cell, a Khitan filler, full and half hieroglyph
	// blanks, a note without a head. U+FFFC stands for a missing object.
	{
		R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0xfffc, Hi: 0xfffc, Stride: 1}},
		R32: []unicode.Range32{{Lo: 0x13441, Hi: 0x13442, Stride: 1}, {Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1},
			{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}},
	},
}

// Invisible returns the tables behind IsInvisible.
func Invisible() []*unicode.RangeTable { return slices.Clone(invisible) }

// IsInvisible reports whether a character is invisible, line breaks and tabs included.
func IsInvisible(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case r >= '\u3400' && r < '\ue000': // Chinese and Korean, which would be looked up in vain
		return false
	}
	return unicode.In(r, invisible...)
}

// Visible returns text with each invisible character as its number, such as [U+202E]. Line breaks,
// tabs, and characters that emoji and some scripts need in their place stay. Clean text is returned
// as it is.
func Visible(text []byte) []byte {
	var out []byte
	done := 0
	for i, r := range findUnseen(text) {
		out = append(out, text[done:i]...)
		out = fmt.Appendf(out, "[U+%04X]", r)
		done = i + utf8.RuneLen(r)
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// VisibleText is Visible for strings.
func VisibleText(text string) string { return string(Visible([]byte(text))) }

// findUnseen yields the positions of the characters that Visible replaces. It skips invalid UTF-8.
func findUnseen(text []byte) func(yield func(int, rune) bool) {
	return func(yield func(int, rune) bool) {
		for i := 0; i < len(text); {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(text[i:])
			}
			hidden := IsInvisible(r) && r != '\n' && r != '\t' && r != '\r' && !belongs(text[:i], r, text[i+size:])
			if hidden && !yield(i, r) {
				return
			}
			i += size
		}
	}
}

// belongs reports whether a joiner or emoji selector has an effect between its neighbours. Each
// needs a visible character right before it, so they can't form a text of their own.
func belongs(before []byte, r rune, after []byte) bool {
	last, size := utf8.DecodeLastRune(before)
	next, _ := utf8.DecodeRune(after)
	switch r {
	case '\ufe0e', '\ufe0f':
		return isSign(last) || last >= '0' && last <= '9' || last == '#' || last == '*' || last == '‼' || last == '⁉'
	case '\u200d':
		styled := last == '\ufe0f' && belongs(before[:len(before)-size], last, nil)
		return (isSign(last) || styled) && isSign(next) || joins(last)
	case '\u200c':
		return joins(last)
	}
	return false
}

// isSign reports whether a character is a visible sign that may be an emoji.
func isSign(r rune) bool { return unicode.Is(unicode.S, r) && r != utf8.RuneError && !IsInvisible(r) }

// joins reports whether a letter or mark belongs to a script with joiners.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Bengali, unicode.Devanagari, unicode.Gujarati,
		unicode.Gurmukhi, unicode.Kannada,
		unicode.Khmer, unicode.Malayalam, unicode.Myanmar, unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu) &&
		!unicode.Is(unicode.Cf, r)
}
