// Package views groups the packages that render the admin UI, and tests all pages together.
//
//   - paths: the addresses of pages and forms
//   - format: times, sizes, counts and names as people read them
//   - markdown: untrusted Markdown as HTML
//   - components: shared parts of pages
//   - code: source text with numbered lines
//   - layout: what surrounds a page, and the pages for errors and confirmations
//   - dashboardview: overview, inbox, statistics, sandbox and search
//   - auditview, authview, credentialview, executionview, profileview, settingsview, skillview: the
//     other pages
//
// Each imports only packages that stand above it in this list; no package of pages imports another.
// Packages of pages end in view: another package, which handlers import too, has the plain name.
//
// A page takes one struct of plain values and asks nobody anything: its handler has decided what it
// shows. Pages hold no secret values. A profile's id stands only on the profile's own page.
//
// Pages work without JavaScript. The content security policy admits no inline script or style, so
// templates use neither.
package views
