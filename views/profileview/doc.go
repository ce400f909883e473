// Package profileview renders profiles: the list, the setup, the lock and what a lock grants.
package profileview
