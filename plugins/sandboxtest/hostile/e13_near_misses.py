# E13 prints near misses of a secret without end
# decided-by: redactor
# timeout: 30
value = settings.get("INJECTED")
for _ in range(200):
    sys.stdout.write(value[:-1] * 100 + "\n")
sys.stdout.write("a" * 500000)
held()
