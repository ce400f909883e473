// Package layout surrounds pages with navigation and notices. It renders errors and confirmations.
package layout
