# writes an email with an attachment and reads it again
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid
message = EmailMessage()
message["Subject"], message["Message-ID"] = "Umsätze", make_msgid()
message["From"], message["To"] = "a@example.com", "b@example.com"
message.set_content("Grüße\n")
message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="Umsätze.csv")
again = message_from_bytes(message.as_bytes(), policy=policy.default)
assert again["Subject"] == "Umsätze" and [p.get_filename() for p in again.iter_attachments()] == ["Umsätze.csv"]
assert again.get_body().get_content() == "Grüße\n"
set_result("works")
