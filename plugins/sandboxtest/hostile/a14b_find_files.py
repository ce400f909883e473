# A14 looks for the files of the execution before, which was another profile's
# profile: other
for directory in ("/tmp", "/dev/shm"):
    if "left-behind" in (os.listdir(directory) if os.path.isdir(directory) else []):
        breach("files of another execution in " + directory)
held()
