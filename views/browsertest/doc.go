// Package browsertest drives a real Chromium in tests. It is the one harness of all tests that look
// at pages: what a page complains of (a violation of the content security policy, a console error
// or warning, an exception, a request that failed or was answered with 400 and above) fails the
// test at its end, unless the test said beforehand that it expects it.
//
// Debian's chromium-headless-shell is needed: on a machine without it the tests fail.
package browsertest
