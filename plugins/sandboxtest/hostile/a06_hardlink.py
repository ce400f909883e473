# A06 links a runtime file into /tmp
refused("link", lambda: os.link("/usr/bin/python3", TMP + "/python3", follow_symlinks=True))
refused("link", lambda: os.link("/airlock-init", TMP + "/init"))
held()
