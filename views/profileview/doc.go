// Package profileview renders profiles: list, setup, lock and grants.
package profileview
