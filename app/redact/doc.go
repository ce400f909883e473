// Package redact takes secrets out of whatever leaves a box. It makes Clean, the only text that the store accepts.
//
// There are two passes. A Stream masks output while it comes, for people who watch; it knows the forms of the values, and patterns in complete lines. The final
// pass (Text, Texts, Execution) sees a whole and looks behind encodings, too; what is stored and what agents get has been through it.
//
// # What is found, streaming
//
// White space around a value is not part of it. A value is found raw; in lower and in upper case; reversed; in ROT13; in UTF-16; in other Unicode
// normal forms; in base64, standard and URL-safe, at every alignment inside a longer encoded text, and likewise in base32 and base 85; in hex of
// either case, with and without separators; as a list of decimal, octal or hex numbers; percent-encoded, fully and as the usual libraries
// do it; escaped as in JSON (Go, JavaScript, Python, PHP), in Python's repr, ascii and bytes literals, in HTML, shells and SQL, and as quoted-printable.
// Each line of a value with several lines is found on its own if it has 8 characters or more, and 16 where scripts don't hold the value: they could guess
// shorter ones. A line ends at a line break or at the two characters \n, as in a key inside JSON. PEM armour lines are not secret.
//
// Of the run-like encodings (base64, base32, hex, percent) of a value longer than 48 bytes only the beginning is looked for; the
// mask then covers the rest of the run, whatever follows the value in it. This bounds both memory and hold-back. Lists and base 85 have only the
// beginning masked in a Stream; the final pass masks the rest.
//
// A form may be broken into lines, as encoders do, by breaks of up to 8 bytes of CR, LF and their escapes, if at least 4
// characters of it stand before a break; a run of base64 or hex goes on in the next line for as long as characters of the value are sure to be left.
// A byte that may begin a form is held back over a line break.
//
// A value of 4 to 7 characters is masked only where it stands as a word: where it begins or ends in an ASCII letter, digit
// or underscore, no other of these may stand beside it. Base64 forms of fewer than 6 characters are not looked for.
// Shorter values are ignored: they can't be told from ordinary text.
//
// # Parts of values
//
// A part of a value counts if it has 16 characters or more, or 8 or more and 60 % of the value. Below 16 it must be hard to guess, because 8 characters of a value may
// be a word. Two parts count together if each has 8 characters or more, the second comes from further on in the value, and at most 8 bytes other than letters and
// digits stand between them, as in what Python's reprlib shortens; a first part that isn't the beginning, or a second that isn't the end, may be missed.
//
// Ordinary text has some parts of values, too: the host in a URL, the fields of a JSON document, the armour of a key. So of a value in lines, of a URL, a
// JSON object, settings (two names with = or : at least), and what looks like a host, a path or an address, only those words count that look random, and the
// password of a URL; each is a value of its own here. A value with fewer than 5 different characters has no parts.
//
// Parts are looked for as they are, in the value's own case; at the end in what was decoded, too, and in joined text if they have 16 characters and are hard to guess.
//
// Only values that scripts hold have parts. A sealed value, or one that only other executions hold, is found as a whole and by its lines: if parts of any length
// or place were masked, a script that knows 15 characters in a row (what all keys of a vendor begin with, a JWT's head) would print them with each of 64 next ones and
// see which is masked, and so on to the end. For the same reason what decides about answers from hosts (app/egress/swap) knows nothing of parts.
//
// # What is found at the end
//
// From the whole, views are made: texts with something decoded, left out or turned round, and a map back to where each part came from. Each view is
// searched like the whole, and views are made of views, up to three steps deep. White space, control and format characters and terminal escapes are left out,
// and all but letters and digits, which counts as no step. The steps are: a sign behind every character left out; escapes of programming languages, percent signs,
// HTML and quoted-printable; Unicode compatibility forms; runs of base64, base32, base 85 and hex at every alignment, and gzip, zlib and bzip2 in
// them, and UTF-16 in what was decoded; lists of decimal, octal, hex and binary numbers, also directly beside other digits; long decimal numbers; digits in groups; reversed; ROT13. The machine knows many forms of a value, so
// it finds one more encoding below the last step. A value of 4 to 7 characters counts only in the text as it is.
//
// Channels are looked at together: the texts of a JSON result in its order, its values alone and its keys alone, the end of each channel with
// the beginning of each other one, what was asked before with all that follows (After), and stdout and stderr as they took turns. Ordinary text without its spaces has many words that nobody wrote, so in
// joined text only values count that are hard enough to guess (see minStrength), and of what writes bytes in an alphabet only forms of 12 characters or more.
//
// What was found behind an encoding is masked with the whole run that it is in; pieces are masked each where they are, with what separates them in one text.
//
// Work is bounded by a budget in proportion to the text. What would go beyond it, such as compressed data that expands to more than 1 MiB or a number of
// more than two million digits, is not let through: it becomes [REDACTED: could not be checked].
//
// # What is shown
//
// A place that is exactly one raw value of 16 characters or more becomes [REDACTED...last4], with the value's last four
// characters; any other place becomes [REDACTED]. Places that overlap become one. The last four are not shown where they could
// belong to another, shorter secret, or where an encoded form or a line of another value lies in the same place. Masks are not
// scanned again. Two characters at the ends of a base64 run may hold up to 4 bits each of the value beside a mask. The placeholder of a sealed value becomes
// [SEALED:NAME], which counts for nothing; in an encoding it is left alone, because it is worth nothing. A pattern that takes it, with what stands around it, for a
// secret has its match masked, and the hit is the pattern's; a form of a value in the same place goes before both.
//
// Each mask counts as one hit, of the longest form in it.
//
// # How
//
// All forms of all values go into one Aho-Corasick automaton over bytes, so the time is linear in the text, whatever the text
// and the values are. All occurrences count, not just the leftmost or longest, or a secret that begins within another would
// get through. The existing packages for this report non-overlapping matches of whole texts only, hence our own. Most of a text begins no form: four
// bytes are looked up at a time, in a bitmap of hashes, and the automaton runs only where they might. Its failure links are worked out when first needed,
// so that making a Redactor costs little more than writing down the forms.
//
// Most of a text holds nothing, so what is costly is done only where something cheaper says that it may be worth it; each of these shortcuts has a test that compares it
// with doing without, or with what it stands for:
//   - In a view, four bytes are looked up at every few offsets only, since a needle has such bytes at each of its first ones (leap.go).
//   - The runs of all codes are found in one pass, four bytes at a time (find.go). Runs too short for text are read only if compressed data may begin in them.
//   - A run of base64 or base 85 is sifted before it is decoded: tables over two digits or two bytes, in base 85 of the value of each group as it rolls by, tell at all
//     alignments at once where enough text may be, and only these windows are decoded. What random bytes hold by chance would be most of the work otherwise.
//     ASCII text in base 85 is looked for among the groups of which the first two digits can begin one.
//   - Two views of a long text are looked at at once, in an order that is settled (search.go). What is refused for want of budget is put together before anybody asks
//     where it came from, and a view is left out whose parent is masked already.
//   - Lists of numbers are read only where there may be enough numbers in a row (rows.go).
//   - What only some characters can be, invisible or a letter or composed, is asked only where bytes begin one of these.
//   - Every few bytes of a value, so near to each other that no part is without, seven are a needle. Around these a text is compared with the value (fragments.go).
//
// A Stream holds back only bytes that could begin a form of a secret, given what was written so far, so output stays live.
// Matching is done on raw bytes; what is not UTF-8 becomes U+FFFD afterwards, one per byte.
//
// # What no redactor finds
//
// A script that holds a value can encrypt it, add to each character, leave out every other one, name each, tell it bit by bit by time or length or order, cut it into pieces far apart, or use more
// steps than three. More than one kind of separator at a time is not always seen through.
package redact
