// Package views groups the packages that render the admin UI, and tests all pages together.
//
//   - paths: the addresses of pages and forms
//   - format: times, sizes, counts and names for people
//   - markdown: untrusted Markdown as HTML
//   - components: shared parts of pages
//   - code: source text with numbered lines
//   - layout: the shell of pages, errors and confirmations
//   - dashboardview: overview, inbox, statistics, sandbox and search
//   - auditview, authview, credentialview, executionview, profileview, settingsview, skillview: the
//     other pages
//
// Each imports only packages above it in this list; no package of pages imports another. Packages
// of pages end in view, since handlers also import their namesakes.
//
// A page takes one struct of plain values; its handler decides the content. Pages hold no secret
// values. A profile's id stands only on the profile's own page.
//
// Pages work without JavaScript. The content security policy admits no inline script or style, so
// templates use neither.
package views
