// Package executions serves execution pages: list, details, comparison and download.
package executions
