# D19 opens sockets of other families
for family, kind, protocol in ((16, socket.SOCK_RAW, 0), (17, socket.SOCK_RAW, 0x0300),
                               (socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET6, socket.SOCK_RAW, 58),
                               (38, socket.SOCK_SEQPACKET, 0), (31, socket.SOCK_RAW, 1),
                               (30, socket.SOCK_SEQPACKET, 0), (40, socket.SOCK_STREAM, 0), (44, socket.SOCK_RAW, 0),
                               (29, socket.SOCK_RAW, 1), (21, socket.SOCK_SEQPACKET, 0)):
    refused("family %d" % family, lambda: socket.socket(family, kind, protocol))
held()
