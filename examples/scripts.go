// Package examples holds scripts that run in Airlock as they are; examples/demo submits them.
package examples

import _ "embed"

var (
	// WeatherReport fetches, computes, asks for a summary and sets a result.
	//
	//go:embed weather_report.py
	WeatherReport string
	// PrintToken prints its secret.
	//
	//go:embed print_token.py
	PrintToken string
	// ReachElsewhere calls a host that is not allowed.
	//
	//go:embed reach_elsewhere.py
	ReachElsewhere string
)
