package data

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
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

const testToken = "a-token-for-this-test"

// get returns the status and the page that the service answers.
func get(t *testing.T, path, authorization string) (int, page) {
	t.Helper()
	list, err := Observations()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	Service(testToken, list).ServeHTTP(w, r)
	var p page
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
	} else if strings.Contains(w.Body.String(), "2012") {
		t.Errorf("%s: status %d comes with data", path, w.Code)
	}
	return w.Code, p
}

func TestServiceNeedsItsToken(t *testing.T) {
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + testToken, testToken,
		"Bearer " + testToken + "x", "bearer " + testToken} {
		for _, path := range []string{"/observations", "/", "/elsewhere"} {
			if status, _ := get(t, path, authorization); status != http.StatusUnauthorized {
				t.Errorf("%s with %q: status %d", path, authorization, status)
			}
		}
	}
	if status, _ := get(t, "/observations", "Bearer "+testToken); status != http.StatusOK {
		t.Errorf("with the token: status %d", status)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/observations", nil)
	r.Header.Set("Authorization", "Bearer ")
	Service("", nil).ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized {
		t.Errorf("a service without a token lets everybody in: status %d", w.Code)
	}
}

func TestServicePagesAndFilters(t *testing.T) {
	var dates []string
	for n := 1; n != 0; {
		status, p := get(t, "/observations?year=2015&page_size=100&page="+string(rune('0'+n)), "Bearer "+testToken)
		if status != http.StatusOK || p.Total != 365 || p.Page != n {
			t.Fatalf("page %d: status %d, %+v", n, status, p)
		}
		for _, o := range p.Items {
			dates = append(dates, o.Date)
		}
		n = 0
		if p.Next != nil {
			n = *p.Next
		}
	}
	if len(dates) != 365 || dates[0] != "2015-01-01" || dates[364] != "2015-12-31" {
		t.Errorf("%d dates from %s to %s", len(dates), dates[0], dates[len(dates)-1])
	}
	for path, want := range map[string]int{
		"/observations":                         1461,
		"/observations?year=2012":               366,
		"/observations?year=2012&month=2":       29,
		"/observations?month=1":                 124,
		"/observations?year=1999":               0,
		"/observations?year=2015&page=99":       365,
		"/observations?page_size=1":             1461,
		"/observations?year=2015&page_size=200": 365,
	} {
		if status, p := get(t, path, "Bearer "+testToken); status != http.StatusOK || p.Total != want ||
			p.Items == nil {
			t.Errorf("%s: status %d, total %d, want %d", path, status, p.Total, want)
		}
	}
	for _, path := range []string{"?year=x", "?year=0", "?month=13", "?month=-1", "?page=0", "?page=1e3",
		"?page_size=0",
		"?page_size=201", "?page=99999999999999999999"} {
		if status, _ := get(t, "/observations"+path, "Bearer "+testToken); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

func TestServiceHasTheFile(t *testing.T) {
	for path, lines := range map[string]int{"/observations.csv": 1462, "/observations.csv?year=2012": 367,
		"/observations.csv?year=1999": 1} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+testToken)
		w := httptest.NewRecorder()
		Service(testToken, nil).ServeHTTP(w, r)
		if got := strings.Count(w.Body.String(), "\n"); w.Code != http.StatusOK || got != lines ||
			!strings.HasPrefix(w.Body.String(), "date,precipitation,") {
			t.Errorf("%s: %d, %d lines", path, w.Code, got)
		}
	}
}
