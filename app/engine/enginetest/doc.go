// Package enginetest runs a whole engine for tests: on a new database, with boxes that guesttest
// plays. It is for tests only.
package enginetest
