// Package match finds known texts in other texts, however their characters are written.
//
// A Finder is made of patterns. Find searches a whole text. A Scanner searches one that comes in
// pieces; both take the text by windows of 64 KiB, so memory doesn't grow with it.
//
//	s := finder.Scanner()
//	found := s.Write(piece)                       // repeatedly
//	found = append(found, s.Settle(s.Open())...)  // what can be shown ends at s.Settled()
//	found = append(found, s.Close()...)           // at the end
//
// Matches come in order of their window. They may overlap, and go on behind Settled.
//
// # What is found
//
// A pattern is found where every character is written as it is or in any of the usual escapes, in any
// mixture: percent-encoding, \x, \u, \U, octal and CSS escapes, a backslash before any character, HTML
// references by number and by name, quoted-printable, doubled quotes, JSON Pointer's ~1, hex digits
// behind ~ and $, the _x002F_ of .NET and Office, and a backtick or caret before a sign, as in
// PowerShell and cmd.exe. Letters match in either case, others than those of ASCII where both cases
// have one length; a plus sign matches a space, and zero bytes between characters, as in UTF-16 and
// UTF-32, are passed over. Escapes may be escaped themselves.
//
// The same is looked for behind one layer: base64 (either alphabet) and base32 at any alignment, hex
// and lists of numbers, decimal or hex, also behind names that are numbers ({"0":115,"1":107}, [0] =>
// 115) or that count up ([0, 115], [1, 107]).
//
// Between characters of a pattern and of a layer lines may break, as they are, escaped or by a tag,
// and be indented by any number of blanks; a pattern may break at its own blanks.
//
// It is a grammar and not a list of encoders, because every encoder that escapes another subset of
// characters would be one more entry that a list lacks. A place of a text can often be read in
// several ways: "%41b" may be a percent sign and three characters, or two characters. All readings
// are followed, or whoever chooses what stands before a pattern could hide it. Layers are less
// thorough: outer escapes are taken off in the two likeliest ways, and runs are read with escapes
// and without.
//
// # Cost
//
// Time is linear in the text. Where the readings of a window would be more than maxPasses times its
// length, the match is Unchecked: users mask all of it.
//
// # Not found
//
// A layer in a layer; a pattern that was compressed, encrypted, hashed or written in another alphabet
// than these; one of which characters were left out or put in; an escape of more than 12 bytes for one
// character, or with a line break in it; one that takes more than 24 bytes for each character, the
// blanks that indent its own lines apart. Of a pattern that repeats itself, readings beyond maxStates
// at one place are dropped.
package match
