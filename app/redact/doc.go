// Package redact takes secrets out of whatever leaves a box. It makes Clean, the only text that the
// store accepts.
//
// There are two passes. A Stream masks output while it comes, for people who watch. The final pass
// (Text, Texts, After, Execution) sees a whole and looks behind encodings, too; what is stored and
// what agents get has been through it. docs/redaction.md says what users may rely on.
//
// # How it works
//
//   - forms.go writes all forms of all values (app/redact/encodings); machine.go puts them into one
//     automaton (app/multimatch), so the time is linear in the text. All occurrences count, or a
//     secret that begins within another would get through.
//   - scan.go runs the machine over a text that comes in pieces, line_breaks.go over the text without
//     its line breaks, fragment_scan.go finds parts of values. The result are regions (region.go).
//   - stream.go renders regions as soon as they are settled, and pattern_stream.go masks what patterns
//     find. A Stream holds back only bytes that could begin a form, so output stays live.
//   - leaf.go has the texts of a document, json.go those of a result. search.go and inspection.go look
//     for values in views of them (app/redact/derived), made by app/redact/decode: up to three steps of
//     decoding, with anything invisible left out, or all but letters and digits.
//   - render.go puts masks into a text, and interleave.go says how two masked streams took turns.
//
// Matching is done on bytes; what is not UTF-8 becomes U+FFFD afterwards, one per byte.
//
// # Forms
//
// Of encodings that go on in one alphabet (base64, base32, hex, percent) only the first 48 bytes of
// a value are looked for; the mask covers the rest of the run. This bounds memory and what a Stream
// holds back. Lists and base 85 have only the beginning masked in a Stream; the final pass masks
// the rest, because the machine says where a view holds more.
//
// A form may be broken into lines by up to 8 bytes of CR, LF and their escapes, if 4 characters
// stand before the break. A run of base64 or hex goes on in the next line, or in another text, only
// with the characters that the value has there, or it would swallow the text that follows.
//
// # Parts of values
//
// Only values that scripts hold have parts. If parts of a sealed value were masked, a script that
// knows 15 characters in a row (what all keys of a vendor begin with) would print them with each of
// 64 next ones, see which is masked, and so on to the end. For the same reason app/egress/swap
// knows nothing of parts.
//
// Ordinary text has some parts of values, too: the host in a URL, the names in a JSON document. So
// of a value that is put together only what app/redact/fields takes for secret counts: fields as
// values of their own, words that look random as they are and in part.
//
// # Joined text
//
// Channels are looked at together: the texts of a result in their order, its values alone, its keys
// alone, the end of each channel with the beginning of each other one, stdout and stderr as they
// took turns, and what was said before with what follows. Ordinary text without its spaces has many
// words that nobody wrote, so there only values count that are hard to guess (minStrength).
//
// # Bounds
//
// The work on one text has a budget in proportion to its length. What would go beyond it becomes
// [REDACTED: could not be checked].
//
// Two views of a long text are looked at at once, and the codes in each by three goroutines, in an
// order that is settled, so that what is found doesn't depend on who is faster.
//
// Most of a text holds nothing, so what is costly is done only where something cheaper says that it
// may be worth it. Each of these shortcuts has a test that compares it with doing without.
//
// # Masks
//
// A place that is exactly one raw value of 24 characters or more shows the value's last four,
// unless they could belong to a shorter secret, or a form of another value lies in the same place.
// Places that overlap become one, which counts as one hit, of the longest form in it. Two
// characters at the ends of a base64 run may hold up to 4 bits each of the value beside a mask.
//
// A placeholder becomes [SEALED:NAME], which is no hit. A pattern that takes it, with what stands
// around it, for a secret has its match masked; a form of a value in the same place goes before
// both.
package redact
