# C16 learns about the host
# restricted: the host's name and a path's existence show, its content doesn't
if not RESTRICTED and socket.gethostname() != "sandbox":
    breach("hostname " + socket.gethostname())
for path in ("/sys/class", "/sys/class/dmi/id/product_serial", "/proc/device-tree", "/etc/machine-id",
             "/var/lib/dbus/machine-id"):
    if RESTRICTED:
        refused(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())
    elif os.path.exists(path):
        breach(path + " is there")
held()
