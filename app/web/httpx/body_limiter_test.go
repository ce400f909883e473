package httpx

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestBodyLimiterReleases: what is released is free again, and nothing is counted twice.
func TestBodyLimiterReleases(t *testing.T) {
	t.Parallel()
	all := NewBudget(bodyBudget, time.Hour)
	open := func(address string, size int) *limitedBody {
		return &limitedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))),
			reservation: &Reservation{budget: all, address: address}}
	}
	var kept []*limitedBody
	for i := range 100 {
		b := open(fmt.Sprint("address ", i%3), app.MaxBody)
		if _, err := io.Copy(io.Discard, b); err != nil && err != ErrBodies { //nolint:errorlint // the sentinel itself
			t.Fatal(err)
		}
		kept = append(kept, b)
	}
	if all.used > bodyBudget || all.used < bodyBudget/2 || len(all.addresses) != 3 {
		t.Errorf("%d bytes are held: %v", all.used, all.addresses)
	}
	small := open("address 0", SmallBody)
	if n, err := io.Copy(io.Discard, small); err != nil || n != SmallBody {
		t.Errorf("a small body: %d bytes, %v", n, err)
	}
	for _, b := range append(kept, small) {
		b.release()
		b.release()
	}
	if all.used != 0 || len(all.addresses) != 0 {
		t.Errorf("%d bytes are left: %v", all.used, all.addresses)
	}
}
