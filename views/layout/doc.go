// Package layout surrounds pages with navigation and notices. It also has the pages that belong to
// no subject: errors and confirmations.
package layout
