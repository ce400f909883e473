package data

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTheFileIsTheOneThatSourceDescribes(t *testing.T) {
	source, err := os.ReadFile("SOURCE.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	if !strings.Contains(string(source), hex.EncodeToString(sum[:])) {
		t.Errorf("SOURCE.md doesn't name the file's sha256 %x", sum)
	}
	list, err := Observations()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1461 {
		t.Fatalf("%d observations", len(list))
	}
	day := time.Date(2012, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, o := range list {
		if o.Date != day.Format(time.DateOnly) {
			t.Fatalf("%s where %s should be", o.Date, day.Format(time.DateOnly))
		}
		day = day.AddDate(0, 0, 1)
		for _, n := range []json.Number{o.Precipitation, o.TempMax, o.TempMin, o.Wind} {
			if _, err := n.Float64(); err != nil {
				t.Fatalf("%s: %v", o.Date, err)
			}
		}
		if !strings.Contains(" drizzle fog rain snow sun ", " "+o.Weather+" ") {
			t.Fatalf("%s: weather %q", o.Date, o.Weather)
		}
	}
}
