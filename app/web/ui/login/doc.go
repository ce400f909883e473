// Package login lets people in: login, the first password of a new person, and the password that is
// asked for again.
package login
