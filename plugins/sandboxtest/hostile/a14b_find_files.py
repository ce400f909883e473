# A14 looks for the files of the execution before, which was another profile's
# profile: other
# restricted: directories that all boxes are in can't be listed, nor files opened there
if RESTRICTED:
    for directory in ("/tmp", "/dev/shm", os.path.dirname(TMP)):
        refused("list " + directory, lambda: os.listdir(directory))
        refused("open in " + directory, lambda: open(directory + "/left-behind").read())
for directory in (TMP,) if RESTRICTED else ("/tmp", "/dev/shm"):
    if "left-behind" in (os.listdir(directory) if os.path.isdir(directory) else []):
        breach("files of another execution in " + directory)
held()
