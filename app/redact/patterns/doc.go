// Package patterns finds secrets that nobody told Airlock about, by their shape: vendor keys,
// tokens, private keys, passwords in connection strings, headers and assignments.
//
// A rule is a regular expression that is tried only where one of the rule's keywords stands. The
// keywords of all rules are looked for in one pass, which is short where there are none. The
// expressions are RE2: no backtracking, and since each is tied to the place of its keyword and sees
// at most Reach bytes from there, the time is linear in the text, also for a text made to be slow.
// A rule that failed several times within one unbroken word is not tried again in that word.
//
// What is reported is the secret alone: of "Authorization: Bearer x" only x, so that a report stays
// readable.
//
// Rules are precise rather than complete. A shape that ordinary text has too, such as any 40
// hexadecimal digits, is no rule; and what is obviously a stand-in (${PASSWORD}, <token>, ****,
// your-key-here) or already masked is left alone. Checksums that some vendors put into their tokens
// are not verified: a token with one wrong character tells nearly as much as the right one.
//
// # Adding a rule
//
//   - File: rules.go for what no vendor owns, rules_cloud.go, rules_code.go (code, packages,
//     operations), rules_service.go for vendors' keys, rules_general.go for what only its
//     surroundings tell. Of rules that find one text the first gives the name, so put the special
//     before the general. The name must be new: operators switch rules off by it.
//   - Keywords are rare texts that stand in each match. The match begins with one, or Back bytes
//     before.
//   - Regexp: a group around the secret, if the match has more. End with \b where the length is
//     fixed, or a longer word has a match in its beginning; leave it out where more characters
//     belong to the secret. Repeat with a bound, or over a class without spaces.
//   - Reach, where a secret with its closing sign may take more than 512 bytes. What goes on past
//     it is masked up to the end of its word.
//   - Entropy 3 to 3.5, where words may look like the secret. Guard (guard.go) for what an
//     expression can't say: opaque for letters with digits, token and password beside names.
//     Stand-ins are ignored for every rule.
//   - Found and Ignored have all shapes: plain, in quotes, in JSON, in a URL; and what nearly looks
//     like one. The secret stands between « and », its random part as ⟨w36⟩: 36 characters of class
//     w. Classes: w letters and digits, a letters, l and u digits with small letters or capitals, d
//     digits, h and H hex, b base64, s URL-safe base64, c base32, k Airlock's ids.
//   - go test ./app/redact/patterns -run 'Table|Linear', then write the list of docs/redaction.md:
//     go test ./cmd/airlock/internal/config -run Documented -update
package patterns
