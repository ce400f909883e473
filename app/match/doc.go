// Package match finds known texts in other texts, however their characters are written.
//
// A finder is made of patterns. It finds each of them where every character is written as it is or
// in any of the usual escapes, in any mixture: percent-encoding, \x, \u, \U, octal and CSS escapes,
// a backslash before any character, HTML references by number and by name, quoted-printable,
// doubled quotes, JSON Pointer's ~1, hex digits behind ~ and $, the _x002F_ of .NET and Office, and
// a backtick or caret before a sign, as in PowerShell and cmd.exe. Letters match in either case,
// others than those of ASCII where both cases have one length; a plus sign matches a space, and
// zero bytes between characters, as in UTF-16 and UTF-32, are passed over.
//
// The same is looked for behind one or two layers: other escapes, as in HTML in JSON, base64
// (either alphabet, any alignment, broken into lines or not), hex (with separators or not) and
// lists of numbers, decimal or hex, also behind names that are numbers ({"0":115,"1":107}, [0] =>
// 115) or that count up ([0, 115], [1, 107]), with the type of a literal (103u8, 0x67L) and, for
// patterns with other than ASCII, of signed bytes and of the numbers of characters. A colon between
// numbers is read as the end of a name and as what separates them.
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
// Time is linear in the text: an Aho-Corasick automaton is run along all readings. Only rows of
// bytes with which a pattern can be written are looked at; most others are jumped over. The escapes
// in a row are looked at once, and those that can't matter are text to all that searches there.
//
// Of usual texts, 0.3 to 10 GB pass a second, of base64 0.15. Of text that is nothing but escapes
// it is 5 to 150 MB: least where each stands for a character that begins or belongs to another
// escape (BenchmarkFind). Memory is about 20 bytes for each byte of all patterns, and 72 KiB.
//
// # Not found
//
// A pattern that was compressed, encrypted, hashed or written in another alphabet than these; one
// of which characters were left out or put in; an escape of more than 12 bytes for one character,
// or with a line break in it; .2F and \'2f; \228 for another character than of ASCII; a list whose
// numbers have a fraction, words between, or quotes, arrows or blanks by their names in HTML; one of hex
// behind names that only count up; in a text that comes in windows, one that takes more than 24 bytes
// for each character, the blanks that indent its own lines apart. Of a pattern that repeats itself,
// readings beyond maxStates at one place are dropped.
package match
