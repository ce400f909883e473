// Package dashboardview renders overview, inbox, statistics, sandbox and search.
package dashboardview
