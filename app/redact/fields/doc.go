// Package fields finds the secrets in a value of several parts. It reads URLs, DSNs, JSON, YAML,
// user:password, keys in PEM, .pgpass, netrc, and names beside values as in .env, INI and TOML.
//
// What has a secret's name (names.go) is a Field: it counts as a value of its own. What only looks
// made at random is a word: it counts as it is, and in part. The rest, such as hosts, user names,
// certificates and lines like apiVersion: v1, is in ordinary text, too, so it doesn't count. A value
// in which nothing is known to be secret or public counts as one, whatever signs it has.
//
// What programs read a value as is a Field, too (readings.go): a value is often stored as it is
// written in a header or a cookie, and shown as it is meant.
//
// # How
//
// Of (fields.go) reads a value; its steps hand texts within to each other, one depth less.
//
//	read       a secret text: as logins, else as structure, else as lines
//	structure  any text: keys, JSON and URLs (document.go), assignments (assignments.go), YAML (yaml.go)
//	named      judges a text beside its name: a field, or else its structure and words
//	field      adds a field, then reads it and its readings
//	word       adds what looks made at random
//	readings   what a text decodes to, and its secret part; each is added and read (readings.go)
//
// A value is read leniently: what several programs would read differently gives several fields. The work
// is bounded; a value that would take more counts as one, so any part of it may be secret.
package fields
