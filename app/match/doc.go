// Package match finds known texts in other texts, however their characters are written.
//
// Find searches a whole text, a Scanner one that comes in pieces. Both work in windows of 64 KiB,
// so memory doesn't grow with the text.
//
//	s := finder.Scanner()
//	found := s.Write(piece)                       // repeatedly
//	found = append(found, s.Settle(s.Open())...)  // what can be shown ends at s.Settled()
//	found = append(found, s.Close()...)           // at the end
//
// Matches come in order of their window. They may overlap, and extend behind Settled.
//
// # What is found
//
// Each character may be plain or in any usual escape, in any mixture: percent-encoding, \x, \u, \U,
// octal and CSS escapes, a backslash before any character, HTML references by number and name,
// quoted-printable, doubled quotes, JSON Pointer's ~1, hex digits behind ~ and $, the _x002F_ of
// .NET and Office, a backtick or caret before a sign (PowerShell, cmd.exe). Letters match in either
// case, beyond ASCII if both have one length. A plus sign matches a space. Zero bytes between
// characters, as in UTF-16 and UTF-32, are passed over. Escapes may be escaped themselves.
//
// The same is found behind one layer: base64 (either alphabet) and base32 at any alignment, hex,
// and lists of decimal or hex numbers. Lists may have numeric names ({"0":115,"1":107}, [0] => 115)
// or indexes ([0, 115], [1, 107]).
//
// Between characters lines may break, plainly, escaped or by a tag, with any indentation. A pattern
// may break at its own blanks.
//
// This is a grammar because a list of encoders would never be complete. All readings of a place are
// followed ("%41b" may be three characters or two). Otherwise an author of the preceding text could
// hide a pattern. Layers are less thorough: outer escapes are removed in the two likeliest ways,
// runs are read with and without escapes.
//
// # How
//
// A Finder (finder.go) searches rows of bytes that can make a match:
//
//   - pattern.go makes entries of patterns, automaton.go an automaton of their texts
//   - rows.go divides a text into rows
//   - index.go indexes a row's escapes: which searches each matters to, and its likeliest reading
//   - escape.go reads an escape; readings.go collects its readings. backslash.go, html.go and
//     digits.go read the kinds, breaks.go line breaks and indentation
//   - scan.go follows all readings through the automaton, and adds matches and parts
//   - locate.go finds where a match begins, backwards from its end
//   - unescape.go removes a row's outer escapes in the likeliest ways and searches again
//   - layers.go decodes runs of base64, base32 and hex, numbers.go lists, and both search inside
//   - scanner.go does this for pieces, open.go finds what may continue, divider.go where nothing
//     can
//   - tail.go adds what follows a pattern; half_escape.go is for callers that write before hex
//     digits
//
// # Cost
//
// Time is linear in the text. Where a window's readings would exceed maxPasses times its length,
// the match is Unchecked: users mask all of it.
//
// # Not found
//
//   - a layer in a layer
//   - a compressed, encrypted, hashed or otherwise encoded pattern
//   - a pattern with omitted or inserted characters
//   - an escape of more than 12 bytes for one character, or with a line break in it
//   - a pattern of more than 24 bytes a character, indentation apart
//   - of a repetitive pattern, readings beyond maxStates at one place
package match
