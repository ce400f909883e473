# A11 mounts, unmounts and remounts
b = ctypes.create_string_buffer
MS_REMOUNT, MS_BIND = 32, 4096
denied("mount tmpfs", "mount", b(b"none"), b(b"/tmp"), b(b"tmpfs"), 0, 0)
denied("remount /usr", "mount", b(b"none"), b(b"/usr"), b(b""), MS_REMOUNT | MS_BIND, 0)
denied("bind", "mount", b(b"/"), b(b"/tmp"), b(b""), MS_BIND, 0)
for target in (b"/proc", b"/usr", b"/tmp", b"/"):
    denied("umount " + target.decode(), "umount2", b(target), 2)
denied("open_tree", "open_tree", -100, b(b"/"), 1)
denied("move_mount", "move_mount", -100, b(b"/tmp"), -100, b(b"/usr"), 0)
denied("fsopen", "fsopen", b(b"tmpfs"), 0)
denied("pivot_root", "pivot_root", b(b"/tmp"), b(b"/tmp"))
denied("chroot", "chroot", b(b"/tmp"))
held()
