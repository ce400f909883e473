# Crashes in C, which ends the script and leaves no core file.
import ctypes

ctypes.string_at(0)
