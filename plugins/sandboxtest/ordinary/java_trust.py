# fetches in Java, which has no variable for its roots
# needs: java
# except landlock: wget and Java trust the system's roots alone
# except docker: wget and Java trust the system's roots alone
import subprocess
code = """public class A { public static void main(String[] a) throws Exception {
    var c = (java.net.HttpURLConnection) new java.net.URL("https://echo.test/java").openConnection();
    System.out.print(new String(c.getInputStream().readAllBytes())); } }"""
open("A.java", "w").write(code)
command = ["java", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "A.java"]
out = subprocess.run(command, capture_output=True, text=True)
assert out.returncode == 0 and '"/java"' in out.stdout, out
set_result("works")
