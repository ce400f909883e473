// Package derived has texts that were made from others, with a map back to where each part came from.
//
// A View is made by decoding, by leaving something out or by turning round, and views are made of
// views. What is found in one is masked in the text at the root. A Builder collects a view; a
// Filter makes one that leaves out what a reader doesn't see, or all but letters and digits.
package derived
