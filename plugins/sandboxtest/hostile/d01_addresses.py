# D01 D02 D03 D04 connects to addresses: public, metadata, this host, private ranges
def connect(address, port, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(1)
    try:
        s.connect((address, port))
    except OSError:
        return
    finally:
        s.close()
    breach("connected to %s:%d" % (address, port))
for address, port in (("8.8.8.8", 53), ("1.1.1.1", 443), ("169.254.169.254", 80), ("169.254.170.2", 80),
                      ("100.100.100.200", 80), ("168.63.129.16", 80), ("192.0.0.192", 80), ("10.0.0.1", 80),
                      ("172.17.0.1", 80), ("192.168.0.1", 443), ("100.64.0.1", 80), ("0.0.0.0", 9090),
                      ("127.0.0.1", 9090), ("127.1", 9090), ("127.0.0.1", 22)):
    connect(address, port)
for address in settings.get("HOST_ADDRESSES").split(","):
    for port in settings.get("CANARY_PORTS").split(","):
        connect(address, int(port))
for address in ("::1", "fd00:ec2::254", "2606:4700:4700::1111", "64:ff9b::a9fe:a9fe"):
    try:
        connect(address, 80, socket.AF_INET6)
    except OSError:
        pass
held()
