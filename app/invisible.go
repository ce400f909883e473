package app

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// invisible are the characters that a reader doesn't see, or that change how others are seen.
// Default_Ignorable_Code_Point is derived from the tables of its second line
// (DerivedCoreProperties.txt of Unicode), less some that count here as well.
var invisible = []*unicode.RangeTable{
	unicode.Cc, unicode.Zl, unicode.Zp,
	unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	unicode.Co, unicode.Noncharacter_Code_Point, // nobody has agreed on how they look
	// Blanks that no property names: a Braille cell without dots, a filler of Khitan, full and half
	// blanks of hieroglyphs, a note without a head. U+FFFC stands for an object that isn't there.
	{
		R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0xfffc, Hi: 0xfffc, Stride: 1}},
		R32: []unicode.Range32{{Lo: 0x13441, Hi: 0x13442, Stride: 1}, {Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1},
			{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}},
	},
}

// Invisible returns the tables behind IsInvisible.
func Invisible() []*unicode.RangeTable { return slices.Clone(invisible) }

// IsInvisible reports whether a reader doesn't see a character, line breaks and tabs included.
func IsInvisible(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < ' ' || r == 0x7f
	case r >= '\u3400' && r < '\ue000': // Chinese and Korean, which would be looked up in vain
		return false
	}
	return unicode.In(r, invisible...)
}

// Visible returns text with each invisible character as its number, such as [U+202E]. Line breaks
// and tabs stay, and so do characters that emoji and some scripts are written with, where those
// stand. Text without any is returned as it is.
func Visible(text []byte) []byte {
	var out []byte
	done := 0
	for i, r := range unseen(text) {
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

// unseen yields the positions of the characters that Visible replaces. Bytes that are no UTF-8 are
// left alone.
func unseen(text []byte) func(yield func(int, rune) bool) {
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

// belongs reports whether a joiner or a selector of emoji style does its work between its
// neighbours. Each needs a character that is seen right before it, so they can't make a text of
// their own.
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

// isSign reports whether a character may be an emoji: a sign that is seen.
func isSign(r rune) bool { return unicode.Is(unicode.S, r) && r != utf8.RuneError && !IsInvisible(r) }

// joins reports whether a letter or a mark is of a script that is written with joiners.
func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Bengali, unicode.Devanagari, unicode.Gujarati,
		unicode.Gurmukhi, unicode.Kannada,
		unicode.Khmer, unicode.Malayalam, unicode.Myanmar, unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu) &&
		!unicode.Is(unicode.Cf, r)
}
