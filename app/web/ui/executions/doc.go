// Package executions serves execution pages: list, details, comparison, print and download.
package executions
