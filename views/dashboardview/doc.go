// Package dashboardview renders the pages that say how an instance does: overview, inbox, statistics,
// sandbox and search.
package dashboardview
