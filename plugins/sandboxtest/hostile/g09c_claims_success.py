# G09 claims success and then fails
# decided-by: runner
# status: error
# error: ValueError: after all
held()
raise ValueError("after all")
