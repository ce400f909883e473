// Package known turns known values into patterns for app/match, for hosts' answers and output.
//
// Patterns (patterns.go) is for answers. A script chose the request, so an answer may repeat a
// value changed: in another charset, order or letter case, without its ends, with its first digits
// swallowed by an escape. All such forms of 12 bytes or more are looked for, and lines of 16
// characters or more; a shorter one would tell a script whether it guessed right. app/egress/swap
// replaces what is found.
//
// InOutput (output.go) is for what a box hands out, for app/redact. There people's short passwords
// count, too:
//
//   - from 4 characters on as a word, from 8 on anywhere
//   - parts, if the script holds the value, since else it would find them character by character
//   - inside values that it doesn't hold: words of 16 characters or more, and fields hard to guess
//   - other orders, letter cases and charsets only of what is hard to guess
//
// Cut and swallowed ends have no texts of their own there: of values that scripts hold, parts cover
// them.
//
// Both take a value's secret fields from app/redact/fields.
package known
