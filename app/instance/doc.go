// Package instance keeps what an instance is as a whole: its keyring and certificate authority,
// whether its queue is paused, whether it is retired, and the question keys of imported history.
package instance
