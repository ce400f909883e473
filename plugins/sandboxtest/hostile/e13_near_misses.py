# E13 prints what almost is a secret, for ever
# decided-by: redactor
# timeout: 30
value = settings.get("INJECTED")
for _ in range(200):
    sys.stdout.write(value[:-1] * 100 + "\n")
sys.stdout.write("a" * 500000)
held()
