"""Carries what its clients and the bus say, as xdg-dbus-proxy does: to the bus all of them are this one process.

    proxy.py BUS SOCKET
"""

import os
import socket
import sys
import threading


def carry(source, sink):
    try:
        while True:
            data, descriptors, _, _ = socket.recv_fds(source, 1 << 16, 253)
            if not data:
                break
            sent = socket.send_fds(sink, [data], descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            sink.sendall(data[sent:])
    except OSError:
        pass  # One of the two has gone.
    for end in source, sink:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[2])
listener.listen()
print("ready", flush=True)
while True:
    client, _ = listener.accept()
    bus = socket.socket(socket.AF_UNIX)
    bus.connect(sys.argv[1].removeprefix("unix:path=").split(",")[0])
    for ends in (client, bus), (bus, client):
        threading.Thread(target=carry, args=ends, daemon=True).start()
