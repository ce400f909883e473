# F01 puts its secret into an exception
# decided-by: redactor
# status: error
# error: ValueError
value = settings.get("INJECTED")
raise ValueError("the value is " + value + " and " + value.encode().hex())
