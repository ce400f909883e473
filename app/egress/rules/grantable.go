package rules

import (
	"net/netip"

	"github.com/computclaw/airlock/app"
)

// metadataNames lead to metadata services wherever they resolve.
var metadataNames = map[string]bool{"metadata.google.internal": true, "metadata.goog": true, "instance-data": true,
	"instance-data.ec2.internal": true}

// Grantable reports whether a profile entry could ever admit a connection to a canonical name. Then
// a person may be asked for one: not for this host, metadata services, and addresses, since a box
// connects to names only.
func Grantable(name string) bool {
	return (app.Host{Name: name}).CheckGrantable() == nil && !metadataNames[name]
}

// isUsableAddress reports whether a canonical name is an address that Airlock would dial: not this
// host, addresses of links and groups, metadata services, and ranges that the registries call
// special.
func isUsableAddress(name string) bool {
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	rule := Classify(addr, nil)
	return rule == "" || rule == Private
}
