# A01 reads the host's password files and keys
# restricted: neither those nor the host's name and accounts can be read
for path in ("/etc/shadow", "/root/.ssh/id_rsa", "/root/.ssh", "/root/.bash_history", "/etc/gshadow",
             "/etc/ssh/sshd_config", "/etc/machine-id"):
    refused(path, lambda: open(path).read())
# A box may have a name of its own, but not the host's.
if RESTRICTED:
    for path in ("/etc/hostname", "/etc/passwd", "/etc/group"):
        refused(path, lambda: open(path).read())
    held()
    sys.exit()
if os.path.exists("/etc/hostname") and open("/etc/hostname").read() != "sandbox\n":
    breach("/etc/hostname")
# A passwd file may exist for getpwuid, but without the host's accounts.
try:
    for line in open("/etc/passwd"):
        if line.split(":")[0] not in ("root", "nobody", "sandbox"):
            breach("host account " + line)
except FileNotFoundError:
    pass
held()
