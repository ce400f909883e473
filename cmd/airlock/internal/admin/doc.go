// Package admin is airlock admin: a person's commands on the data directory.
package admin
