# G09 ends well with the text of a failure
# decided-by: runner
print('Traceback (most recent call last):\n  File "script.py", line 1\nNameError: no', file=sys.stderr)
held()
