# G09 claims success and then fails
# status: error
# error: ValueError: after all
held()
raise ValueError("after all")
