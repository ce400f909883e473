package rules

import (
	"net/netip"

	"github.com/computclaw/airlock/app"
)

// metadataNames lead to metadata services wherever they resolve.
var metadataNames = map[string]bool{"metadata.google.internal": true, "metadata.goog": true, "instance-data": true,
	"instance-data.ec2.internal": true}

// Grantable reports whether a profile entry could ever admit a canonical name. It excludes this
// host, metadata services and addresses: a box connects to names only.
func Grantable(name string) bool {
	return (app.Host{Name: name}).CheckGrantable() == nil && !metadataNames[name]
}

// isUsableAddress reports whether Airlock would dial a name that is an address. It excludes this
// host, link-local, multicast, metadata services and special ranges.
func isUsableAddress(name string) bool {
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	rule := Classify(addr, nil)
	return rule == "" || rule == Private
}
