# A09 leaves pipes and sockets where a collector might block
# restricted: a Unix socket can't even be made
for name in ("result.json", "stdout", "stderr", "output"):
    os.mkfifo(TMP + "/" + name)
def bind():
    socket.socket(socket.AF_UNIX).bind(TMP + "/socket")
if RESTRICTED:
    refused("a Unix socket", bind)
else:
    bind()
held()
