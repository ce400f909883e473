// Package paths holds the admin UI's addresses: patterns for the router, functions for links.
package paths
