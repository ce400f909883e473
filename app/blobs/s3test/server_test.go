package s3test

import "testing"

// It also makes the program for the tests of other packages.
func TestServerStarts(t *testing.T) {
	if Start(t) == "" {
		t.Error("it has no address")
	}
}
