// Package guesttest plays the guest of a box in the test's own process. It is for tests only.
package guesttest
