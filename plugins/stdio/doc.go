// Package stdio is what backends have in common about the streams of a box: they relay two of them
// and keep the end of the third.
package stdio
