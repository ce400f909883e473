package data

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
		status, p := get(t, "/observations?year=2015&page="+string(rune('0'+n)), "Bearer "+testToken)
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
		"/observations":                   1461,
		"/observations?year=2012":         366,
		"/observations?year=2012&month=2": 29,
		"/observations?month=1":           124,
		"/observations?year=1999":         0,
		"/observations?year=2015&page=99": 365,
	} {
		if status, p := get(t, path, "Bearer "+testToken); status != http.StatusOK || p.Total != want ||
			p.Items == nil {
			t.Errorf("%s: status %d, total %d, want %d", path, status, p.Total, want)
		}
	}
	for _, path := range []string{"?year=x", "?year=0", "?month=13", "?page=0", "?page=1e3", "?page=99999999999999999999"} {
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
