# guesses types of files and known ports
# needs: /etc/protocols, /etc/services
import mimetypes, socket
assert mimetypes.guess_type("a.json")[0] == "application/json" and mimetypes.guess_type("a.png")[0] == "image/png"
assert socket.getservbyname("https") == 443 and socket.getprotobyname("tcp") == 6
set_result("works")
