// Package dotenv reads the .env files that people keep secrets in, strictly: what two programs
// would read differently is refused with the line's number instead of guessed, since a value that
// is stored wrong fails later and elsewhere. Nothing of a value, or of a line that can't be read,
// ever stands in a problem.
//
// # What is read
//
//	NAME=value            up to the end of the line, without spaces at its ends; " #" begins a comment
//	export NAME=value     the same
//	NAME='value'          as it stands, also over several lines; `value` likewise
//	NAME="value"          with \n, \r, \t, \", \\ and \$, also over several lines
//	# comment             and empty lines
//
// A dollar sign is a dollar sign: nothing is expanded, and an entry says where other programs
// would.
package dotenv
