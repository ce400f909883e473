package data

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// perPage is how many observations a page has.
const perPage = 100

// page is the answer to GET /observations.
type page struct {
	Items []Observation `json:"items"`
	Page  int           `json:"page"`
	Next  *int          `json:"next_page"` // null on the last page
	Total int           `json:"total"`
}

// Service answers GET /observations?year=2014&month=7&page=1 with "Authorization: Bearer <token>".
// Other requests get 401. year and month are optional. GET /observations.csv?year=2014 returns all rows as in the
// file.
func Service(token string, observations []Observation) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /observations", func(w http.ResponseWriter, r *http.Request) {
		p, err := find(observations, r.URL.Query())
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		answer(w, http.StatusOK, p)
	})
	mux.HandleFunc("GET /observations.csv", func(w http.ResponseWriter, r *http.Request) {
		year, err := number(r.URL.Query(), "year", 0, 1, 9999)
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		_, _ = w.Write(table(year)) // the client is gone if this fails
	})
	return guard(token, mux)
}

// table returns the file's head and a year's rows. 0 means all years.
func table(year int) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(file) {
		if b.Len() == 0 || year == 0 || bytes.HasPrefix(line, fmt.Appendf(nil, "%04d-", year)) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

func guard(token string, next http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token == "" || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="weather"`)
			answer(w, http.StatusUnauthorized,
				map[string]string{"error": "this service needs its token: Authorization: Bearer …"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func find(all []Observation, query url.Values) (page, error) {
	year, err := number(query, "year", 0, 1, 9999)
	if err != nil {
		return page{}, err
	}
	month, err := number(query, "month", 0, 1, 12)
	if err != nil {
		return page{}, err
	}
	n, err := number(query, "page", 1, 1, 1_000_000)
	if err != nil {
		return page{}, err
	}
	var found []Observation
	for _, o := range all {
		if (year == 0 || strings.HasPrefix(o.Date, fmt.Sprintf("%04d-", year))) &&
			(month == 0 || o.Date[5:7] == fmt.Sprintf("%02d", month)) {
			found = append(found, o)
		}
	}
	from := min((n-1)*perPage, len(found))
	to := min(from+perPage, len(found))
	p := page{Items: append([]Observation{}, found[from:to]...), Page: n, Total: len(found)}
	if to < len(found) {
		next := n + 1
		p.Next = &next
	}
	return p, nil
}

// number reads a whole number from least to most. Without one it returns absent.
func number(query url.Values, name string, absent, least, most int) (int, error) {
	text := query.Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s must be a whole number from %d to %d", name, least, most)
	}
	return n, nil
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone if this fails
}
