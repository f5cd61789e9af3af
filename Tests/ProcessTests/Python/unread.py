"""Asks for all notes COUNT times at once, and reads no answer.

    unread.py COUNT

It stops itself (SIGSTOP) once it has sent all calls.
"""

import os
import signal
import sys

from coffer_client import NAME, PATH, BusClient, dbus, fetch_pb2
import dbus.lowlevel  # noqa: E402

client = BusClient()
store = client.open(must_exist=True).opened.store
request = dbus.ByteArray(fetch_pb2.FetchRequest(store=store, entity=b"Note").SerializeToString())
for _ in range(int(sys.argv[1])):
    call = dbus.lowlevel.MethodCallMessage(NAME, PATH, NAME, "Fetch")
    call.append(request, dbus.Array([], signature="h"), signature="ayah")
    client.bus.send_message(call)
client.bus.flush()
print("sent", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
