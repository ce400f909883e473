# A12 opens files by guessed handles ("shocker")
handle = ctypes.create_string_buffer(b"\x08\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00")
fd = os.open(TMP, os.O_RDONLY)
for inode in (2, 128, 256):
    handle[8] = inode & 255
    denied("open_by_handle_at", "open_by_handle_at", fd, handle, os.O_RDONLY)
held()
