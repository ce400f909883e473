// Package enginetest runs a whole engine for tests, with a new database and boxes of guesttest.
package enginetest
