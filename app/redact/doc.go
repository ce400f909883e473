// Package redact takes secrets out of whatever leaves a box. It makes Clean, the only text that the
// store accepts.
//
// # What it protects from
//
// Accidents and simple tricks: a script that prints a key, an error that quotes a URL with its password,
// a log in base64. A script that means to gets a value past it, and no list of encodings changes that.
// Theft is stopped by sealing: the script holds a placeholder. docs/redaction.md says what users may
// rely on.
//
// # What is searched for
//
// Known values by app/match, with the texts that app/known makes of each: the value, its secret fields,
// its lines, each reversed. Parts of 16 bytes and more count of values that scripts hold. Of others they
// would be an oracle: a script that knows 15 characters in a row prints them with each of 64 next ones
// and sees which is masked. Secrets of known shapes are found by app/redact/patterns.
//
// # How
//
//   - find.go searches a whole text; execution.go texts that were put together: the two streams by
//     their turns, the strings of a result. There only values count that are hard to guess.
//   - result.go searches a result as its compact JSON text (app/redact/jsontext) and writes it masked.
//   - stream.go masks output while it comes, for people who watch; rule_stream.go adds the rules.
//   - region.go puts places together that overlap, and says what their masks and hits are.
//
// Matching is done on bytes; what is not UTF-8 becomes U+FFFD afterwards, one per byte.
//
// # Bounds
//
// A text is searched by windows, so the memory of a pass doesn't follow what stands in it. A window
// whose readings would take too many passes is masked as [REDACTED: could not be checked].
//
// # Masks
//
// A place that is exactly one value of 24 characters or more shows its last four, unless they could
// belong to a shorter secret. Places that overlap become one, which counts as one hit. Characters of
// base64 and hex that a value shares with its neighbours stay: they hold up to 4 bits of it. A
// placeholder becomes [SEALED:NAME], which is no hit; a value in the same place goes before it.
package redact
