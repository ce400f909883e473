// Package stdio is what backends have in common about the streams of a box. They relay two of them
// and keep the end of the third.
package stdio
