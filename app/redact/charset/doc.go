// Package charset says what bytes are: digits of an encoding, letters of a word, classes of either.
//
// It has the alphabets of all encodings, so that what writes them and what reads them agree.
package charset
