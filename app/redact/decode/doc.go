// Package decode undoes encodings that a script may have written a value in.
//
// Each function takes a text and returns a derived.Builder of what it stands for, with the place of
// each part, or nil if there is nothing of its kind. It keeps only what may be text.
//
//   - EveryOther, Reversed and ROT13 undo what was done to each character.
//   - Escapes undoes escapes of one kind; Backslash, Percent, HTMLEntity and QuotedPrintable read
//     one.
//   - Lists reads lists of numbers, DigitRuns long numbers and digits in groups.
//   - A RunFinder finds the runs of all Codes in one pass: base64, hex, base32 and base 85.
//     Code.Read reads them at every alignment, and expands compressed data in them.
//
// Most runs hold nothing, so a sieve looks first: tables over two digits, or in base 85 over the
// value of each group as it rolls by, tell at all alignments at once where enough text may be. Only
// these windows are decoded. What random bytes hold by chance would be most of the work otherwise.
//
// A Decoder bounds the work. What would go beyond its budget it refuses.
package decode
