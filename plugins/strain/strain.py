# Strains the box it is PID 1 of: first the processor, then memory until the box is killed. Prints the share of a core it got.
import sys, time

wall, cpu = time.monotonic(), time.process_time()
while time.monotonic() - wall < 0.4:
    pass
print((time.process_time() - cpu) / (time.monotonic() - wall), flush=True)
sys.stdin.readline()
held = []
while True:
    held.append(bytearray(b"\1") * (4 << 20))
