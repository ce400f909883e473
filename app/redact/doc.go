// Package redact takes secrets out of whatever leaves a box. It makes Clean, the only text that the store accepts.
//
// # What is found
//
// White space around a value is not part of it. A value is found raw; in base64, standard and URL-safe, at every alignment
// inside a longer encoded text; in hex of either case; percent-encoded, fully and as the usual libraries do it; escaped as in
// JSON (Go, JavaScript, Python, PHP) and in Python's repr, ascii and bytes literals. Each line of a value with several lines is
// found on its own if it has 8 characters or more; a line ends at a line break or at the two characters \n, as in a key inside
// JSON. PEM armour lines are not secret.
//
// Of the run-like encodings (base64, hex, full percent) of a value longer than 48 bytes only the beginning is looked for; the
// mask then covers the rest of the run, whatever follows the value in it. This bounds both memory and hold-back.
//
// A form may be broken into lines, as encoders do, by breaks of up to 8 bytes of CR, LF and their escapes; a run of base64 or hex
// goes on in the next line for as long as characters of the value are sure to be left. A byte that may begin a form is held back
// over a line break.
//
// A value of 4 to 7 characters is masked only where it stands as a word: where it begins or ends in an ASCII letter, digit
// or underscore, no other of these may stand beside it. Base64 forms of fewer than 6 characters are not looked for.
// Shorter values are ignored: they can't be told from ordinary text.
//
// # What is shown
//
// A place that is exactly one raw value of 16 characters or more becomes [REDACTED...last4], with the value's last four
// characters; any other place becomes [REDACTED]. Places that overlap become one. The last four are not shown where they could
// belong to another, shorter secret, or where an encoded form or a line of another value lies in the same place. Masks are not
// scanned again. Two characters at the ends of a base64 run may hold up to 4 bits each of the value beside a mask.
//
// # How
//
// All forms of all values go into one Aho-Corasick automaton over bytes, so the time is linear in the text, whatever the text
// and the values are. All occurrences count, not just the leftmost or longest, or a secret that begins within another would
// get through. The existing packages for this report non-overlapping matches of whole texts only, hence our own.
//
// A Stream holds back only bytes that could begin a form of a secret, given what was written so far, so output stays live.
// Matching is done on raw bytes; what is not UTF-8 becomes U+FFFD afterwards, one per byte.
//
// Encodings within encodings, and secrets cut into pieces, are not found by this pass.
package redact
