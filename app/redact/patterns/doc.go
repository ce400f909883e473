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
package patterns
