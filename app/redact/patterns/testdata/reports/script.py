import json
import os
import httpx
from airlock import settings, llm, set_result

base = settings.get("DATA_URL")
token = settings.get("DATA_TOKEN")
password = settings.get("ORACLE_PASSWORD")
api_key = os.environ.get("API_KEY_V2", "")
client_secret = config["oauth2"]["client_secret"]
dsn = f"postgresql://{user}:{password}@{host}:5432/{database}"
oracle = "oracle://%s:%s@%s/%s" % (user, password, host, service)
headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
auth = httpx.BasicAuth(username="reporting", password=password)
session.headers.update({"Authorization": "Bearer " + token})
session.cookies.set("theme", "dark")
def connect(user: str, password: str = None, secret: Optional[str] = None) -> Connection: ...
def fetch(start, token=token, password=password2, passwd=self.passwd1):
    params = {"from": start, "page_token": page.next_page_token, "apiKey": api_key}
    response = httpx.get(base + "/sales?limit=500", headers=headers, params=params, timeout=30)
    response.raise_for_status()
    return response.json()["rows"]
password_hash = hashlib.sha256(password.encode()).hexdigest()
is_secret = row["secret"] == "yes"
tokens = tokenizer.encode("a sentence to count tokens of")
max_tokens=4096, token_count=tokens_used_in_request_1
if not password: raise ValueError("password: must not be empty")
print(f"password={'*' * len(password)} token={token[:4]}...")
key = lambda row: (row["outlet"], row["date"])
