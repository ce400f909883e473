# queries PostgreSQL with parameters, a transaction and a copy
# needs: psycopg2
import io, psycopg2
db = psycopg2.connect(host="db.test", user="airlock", dbname="postgres", password=settings.get("DB_PASSWORD"))
with db, db.cursor() as cursor:
    cursor.execute("CREATE TEMP TABLE sums (name text, n numeric)")
    cursor.copy_expert("COPY sums FROM STDIN WITH CSV", io.StringIO("a,1.5\nb,2.25\n"))
    cursor.execute("SELECT sum(n), %s FROM sums", ("it's",))
    total, text = cursor.fetchone()
    assert str(total) == "3.75" and text == "it's"
set_result("works")
