# A09 leaves pipes and sockets where a collector might block
for name in ("result.json", "stdout", "stderr", "output"):
    os.mkfifo("/tmp/" + name)
s = socket.socket(socket.AF_UNIX)
s.bind("/tmp/socket")
held()
