package dockertest

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// rootlessUID is a user that nobody is; its containers get the uids from rootlessFirst on.
const (
	rootlessUID   = 64242
	rootlessFirst = 400_000
)

// asUser runs a command as that user, in rootlesskit's namespaces. $1 is the directory with the
// account's files. They cover this host's own in a private mount namespace, as does a device for
// tunnels, which not every host has.
const asUser = `
dir=$1 uid=$2; shift 2
for file in passwd group subuid subgid; do touch /etc/$file; mount --bind "$dir/etc/$file" "/etc/$file"; done
mkdir -p /dev/net && mount -t tmpfs -o mode=755 net /dev/net && mknod -m 666 /dev/net/tun c 10 200
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups env HOME="$dir" XDG_RUNTIME_DIR="$dir/run" \
    rootlesskit --net=slirp4netns --mtu=65520 --disable-host-loopback \
	--port-driver=none --copy-up=/etc --copy-up=/run --propagation=rslave \
    sh -c 'rm -f /run/docker /run/containerd /run/xtables.lock; exec "$@"' sh "$@"
`

// NewRootless starts an engine with an ordinary user's rights until the end of the test. It needs
// rootlesskit, slirp4netns and uidmap.
func NewRootless(tb testing.TB) *Engine {
	tb.Helper()
	dir := directory(tb)
	uid := strconv.Itoa(rootlessUID)
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, "etc"), 0o755))
	must(os.Mkdir(filepath.Join(dir, "run"), 0o700))
	must(os.Chown(filepath.Join(dir, "run"), rootlessUID, rootlessUID))
	must(os.Chown(dir, rootlessUID, rootlessUID))
	ids := "op:" + strconv.Itoa(rootlessFirst) + ":65536\n"
	for file, text := range map[string]string{
		"passwd": "root:x:0:0::/root:/bin/sh\nop:x:" + uid + ":" + uid + "::" + dir + ":/bin/sh\n",
		"group":  "root:x:0:\nop:x:" + uid + ":\n", "subuid": ids, "subgid": ids,
	} {
		must(os.WriteFile(filepath.Join(dir, "etc", file), []byte(text), 0o644))
	}
	e := &Engine{dir: dir, under: []string{"unshare", "--mount", "--propagation", "private", "sh", "-c", asUser,
		"sh", dir,
		uid}}
	e.keep(tb)
	return e
}
