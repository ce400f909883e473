// Package admin is airlock admin: what a person does on the data directory from the command line.
package admin
