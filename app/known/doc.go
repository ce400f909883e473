// Package known turns known values into patterns for app/match, for hosts' answers and output.
package known
