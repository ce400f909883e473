// Package browsertest drives a real Chromium in tests. A page's complaints fail the test unless
// expected beforehand: violations of its content security policy, console errors or warnings,
// exceptions, failed requests, and statuses from 400.
//
// It needs Debian's chromium-headless-shell; tests fail without it.
package browsertest
