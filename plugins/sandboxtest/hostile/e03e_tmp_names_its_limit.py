# E03 fills /tmp and lets the error out: it names the limit
# status: error
# error: AIRLOCK_LIMIT_TMP
with open(TMP + "/fill", "wb") as f:
    for _ in range(1 << 10):
        f.write(b"x" * (1 << 20))
