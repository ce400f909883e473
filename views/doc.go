// Package views renders the admin UI: one file per page and one per family of components. A page takes one struct of plain values and
// asks nobody anything; what it shows was decided by its handler. Pages hold no secret values, and a profile's id stands only on the
// profile's own page.
//
// Pages work without JavaScript. The content security policy admits no inline script or style, so templates use neither.
package views
