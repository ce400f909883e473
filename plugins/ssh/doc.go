// Package ssh runs boxes on another machine over SSH.
//
// # The chain
//
//	plugin ── TCP, SSH ──▶ sshd ── exec ──▶ [systemd-run --user --scope] airlock-remote
//	  ── as in package bubblewrap ──▶ /airlock-init
//
// A box talks over its stdin and stdout only, so the other machine needs no network, configuration
// or secrets: its traffic passes Airlock's egress here. Nothing secret is in arguments, environment
// or files there. A box's memory is on that machine, so its administrator is inside the boundary.
//
// The other side is the bubblewrap backend, unchanged, in a program of ours (package remote). It
// speaks the contract of package plugins over one channel with flow control per box, so sshd's
// MaxSessions may be 1.
//
// # Trust
//
// The host key is pinned. Without one Check refuses before it sends anything, and shows the
// fingerprint and the line to set. The remote program and airlock-init are uploaded under their
// sha256 into a directory of the remote user's own (mode 0700) and moved into place once complete.
// Every connection computes their digests again.
//
// # Ends
//
// A side that hears nothing asks for a sign of life, and gives up without an answer: here after 15
// seconds of silence, there after 7. Here that ends all calls with plugins.ErrLost; there the remote
// program ends, and its boxes with it, as when sshd, the plugin or the remote program is killed. The
// next call connects again after a growing pause, ends hanging remote programs of the same instance,
// and repeats Check.
//
// # Limits
//
// With a systemd user manager the remote program runs in a scope with Delegate=yes, so control
// groups hold each box's limits. Elsewhere the limits are polled; Report.Enforced tells.
//
// # Settings
//
//	host      HOST or HOST:PORT
//	user      account there; an ordinary one, with no rights
//	key       private key in OpenSSH's or PEM form, without passphrase
//	host_key  lines of known_hosts, or "TYPE BASE64"
//	dir       directory there for the two programs; the default is ~/.cache/airlock
//
// All others (bwrap, root, usr_local, limits, cgroup) are those of package bubblewrap and mean
// paths there.
package ssh
