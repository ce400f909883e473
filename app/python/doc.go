// Package python reads Python source by its tokens: names outside of texts and comments, also those
// in the fields of f-strings.
//
// It doesn't use Python's module ast in a box. A person reviews facts also without a box, and a
// box's Python may not parse a newer or older file.
package python
