# A08 makes and opens devices
import stat
for name, mode in (("block", stat.S_IFBLK), ("char", stat.S_IFCHR)):
    refused("mknod " + name, lambda: os.mknod(TMP + "/" + name, mode | 0o666, os.makedev(8, 0)))
for path in ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/port", "/dev/sda", "/dev/vda", "/dev/kvm", "/dev/fuse",
             "/dev/net/tun", "/dev/loop0", "/dev/vsock", "/dev/vhost-vsock", "/dev/mapper/control"):
    refused(path, lambda: open(path, "rb"))
held()
