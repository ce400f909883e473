# A01 reads the host's password files and keys
for path in ("/etc/shadow", "/root/.ssh/id_rsa", "/root/.ssh", "/root/.bash_history", "/etc/gshadow", "/etc/ssh/sshd_config", "/etc/hostname", "/etc/machine-id"):
    refused(path, lambda: open(path).read())
# A passwd file may exist for getpwuid, but it knows nobody of the host.
try:
    for line in open("/etc/passwd"):
        if line.split(":")[0] not in ("root", "nobody", "sandbox"):
            breach("host account " + line)
except FileNotFoundError:
    pass
held()
