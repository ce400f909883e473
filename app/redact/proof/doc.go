// Package proof tries to get secrets past the redactor, and lets a program that shares no code with it look for them.
//
// A case is a random secret, written in up to three encodings one within the other, put into a random text, and sent through one channel
// as the engine would: output in random pieces through a Stream and then as a whole, all else as a whole. What comes out goes to
// detect.py (Python, standard library only), which undoes encodings in its own way, three deep, and looks for the secret and for two thirds
// of it. Each run also plants secrets in clear view for the detector: one that finds nothing proves nothing.
//
// Every leak fails the test: no case is left out.
//
// go test runs some thousands of cases. make redact-proof runs a million, or as many as CASES says; a case is made from the seed and its
// number alone, so that a leak can be looked at again with -first and -cases 1.
package proof
