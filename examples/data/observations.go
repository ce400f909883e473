package data

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed seattle-weather.csv
var file []byte

// Observation is one day. Figures keep the digits of the file.
type Observation struct {
	Date          string      `json:"date"` // YYYY-MM-DD
	Precipitation json.Number `json:"precipitation_mm"`
	TempMax       json.Number `json:"temp_max_c"`
	TempMin       json.Number `json:"temp_min_c"`
	Wind          json.Number `json:"wind"`
	Weather       string      `json:"weather"`
}

// Observations returns all days in order.
func Observations() ([]Observation, error) {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the dataset: %w", err)
	}
	if len(rows) < 2 || strings.Join(rows[0], ",") != "date,precipitation,temp_max,temp_min,wind,weather" {
		return nil, fmt.Errorf("the dataset has unexpected columns")
	}
	list := make([]Observation, 0, len(rows)-1)
	for _, r := range rows[1:] {
		list = append(list, Observation{r[0], json.Number(r[1]), json.Number(r[2]), json.Number(r[3]),
			json.Number(r[4]),
			r[5]})
	}
	return list, nil
}
