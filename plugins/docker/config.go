package docker

import (
	"fmt"
	"net/netip"

	"github.com/moby/moby/api/types/container"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/rlimit"
)

const user = "65534:65534"

const hostname = "sandbox"

const cpuPeriod = 100_000 // microseconds

// containerConfig is what runs: the image's own wishes are all overridden.
func (h *host) containerConfig(i *image, id string, command []string) *container.Config {
	return &container.Config{
		Image: i.current(), Entrypoint: command, Cmd: nil, User: user, WorkingDir: "/tmp", Hostname: hostname,
		Env:       unset(i.env),
		OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}},
		Labels:      h.labels(id),
	}
}

// labels say whose a container is. One that no box runs in has no box's id.
func (h *host) labels(box string) map[string]string {
	labels := map[string]string{labelInstance: h.instance, labelOwner: string(h.owner)}
	if box != "" {
		labels[labelBox] = box
	}
	return labels
}

// unset removes variables of the image and the engine from the environment. A name without a value
// does that.
func unset(names []string) []string { return append([]string{"PATH", "HOSTNAME"}, names...) }

// hostConfig is the wall around it. l is bound.
func (h *host) hostConfig(arch string, l plugins.Limits) *container.HostConfig {
	noInit := false
	return &container.HostConfig{
		NetworkMode: "none", IpcMode: "private", CgroupnsMode: "private",
		ReadonlyRootfs: true, CapDrop: []string{"ALL"},
		SecurityOpt: []string{"no-new-privileges", "seccomp=" + h.profiles[arch]},
		LogConfig:   container.LogConfig{Type: "none"}, // any other would keep what scripts print
		Init:        &noInit,
		Runtime:     h.settings.runtime,
		Resources:   resources(l),
		ShmSize:     l.Shm(),
		Tmpfs:       h.mounts(l),
		MaskedPaths: maskedPaths(), ReadonlyPaths: readonlyPaths(),
		DNS: []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, DNSSearch: []string{"."},
		DNSOptions: []string{"single-request", "timeout:2", "attempts:1"},
		ExtraHosts: []string{hostname + ":127.0.0.1"},
		Sysctls:    sysctls(),
	}
}

// resources limit the box by a cgroup and each process by resource limits. None bounds processes:
// the kernel would charge them to the uid, which all boxes share.
func resources(l plugins.Limits) container.Resources {
	r := container.Resources{
		Memory: l.Memory, MemorySwap: l.Memory,
		CPUPeriod: cpuPeriod, CPUQuota: max(int64(l.CPU*cpuPeriod), 1000),
		PidsLimit: &l.Pids,
	}
	for _, u := range rlimit.OfBox(l.Files, max(l.Tmp, l.Shm())) {
		r.Ulimits = append(r.Ulimits, &container.Ulimit{Name: u.Name, Soft: u.Value, Hard: u.Value})
	}
	return r
}

// mounts are /tmp and empty covers over terminals, message queues and /sys with its cgroups. The
// whole host shares one pool of terminals.
func (h *host) mounts(l plugins.Limits) map[string]string {
	const cover = "ro,nosuid,nodev,noexec,size=4k,mode=0555"
	exec := "noexec"
	if h.settings.tmpExec {
		exec = "exec"
	}
	return map[string]string{
		"/tmp":     fmt.Sprintf("rw,nosuid,nodev,%s,size=%d,mode=1777", exec, l.Tmp),
		"/dev/pts": cover, "/dev/mqueue": cover, "/sys": cover, "/sys/fs/cgroup": cover,
	}
}

// maskedPaths are what engines mask, and files of /proc that tell of the host.
func maskedPaths() []string {
	return []string{
		"/proc/acpi", "/proc/asound", "/proc/cmdline", "/proc/diskstats", "/proc/interrupts", "/proc/iomem",
		"/proc/ioports", "/proc/kcore", "/proc/key-users", "/proc/keys", "/proc/latency_stats", "/proc/modules",
		"/proc/partitions", "/proc/sched_debug", "/proc/scsi", "/proc/softirqs", "/proc/swaps",
		"/proc/sys/kernel/random/boot_id", "/proc/timer_list", "/proc/timer_stats", "/proc/vmallocinfo",
	}
}

func readonlyPaths() []string {
	return []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
}

// sysctls open low loopback ports and bound buffers of connections there. The whole host shares the
// memory of those.
func sysctls() map[string]string {
	return map[string]string{
		"net.ipv4.ip_unprivileged_port_start": "0",
		"net.ipv4.ping_group_range":           "1 0", // nobody
		"net.ipv4.tcp_rmem":                   "4096 65536 131072",
		"net.ipv4.tcp_wmem":                   "4096 16384 131072",
	}
}
