// Package data serves a real public dataset, the daily weather of Seattle, to whoever knows a
// token. SOURCE.md says where it comes from.
package data
