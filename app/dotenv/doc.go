// Package dotenv strictly reads the .env files that people keep secrets in. It refuses what two
// programs would read differently, with the line's number: a wrong value would fail later and
// elsewhere. A problem never shows a value or an unreadable line.
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
