# C16 learns about the host
if socket.gethostname() != "sandbox":
    breach("hostname " + socket.gethostname())
for path in ("/sys/class", "/sys/class/dmi/id/product_serial", "/proc/device-tree", "/etc/machine-id", "/var/lib/dbus/machine-id"):
    if os.path.exists(path):
        breach(path + " is there")
held()
