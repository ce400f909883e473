// Package paths holds the addresses of the admin UI: patterns for the router, functions for links.
package paths
