"""Takes part in an exchange of content over plain D-Bus: saves at the last moment, lets go, and opens it again.

    handshake.py GO

It lets go once the file GO is there.
"""

import os
import sys
import uuid

import dbus

from coffer_client import NAME, PATH, BusClient, GLib, fetch_pb2, save_pb2, storage_pb2, text_column

SHARED = NAME + ".UbiquitousStore"
client = BusClient()
loop = GLib.MainLoop()


def say(*words):
    print(*words, flush=True)


def count(store):
    request = fetch_pb2.FetchRequest(store=store, entity=b"Note", result_type=3)
    return client.call("Fetch", request, fetch_pb2.FetchReply()).count


opened = client.open(must_exist=True).opened
objects = dbus.Interface(client.bus.get_object(NAME, PATH), "org.freedesktop.DBus.ObjectManager").GetManagedObjects()
path = next(path for path, interfaces in objects.items() if SHARED in interfaces)
shared = dbus.Interface(client.bus.get_object(NAME, path, introspect=False), SHARED)


def will_change(why, question, milliseconds):
    say("asked", why)
    assert 0 < milliseconds <= 60_000, milliseconds
    assert not shared.Answer(dbus.UInt64(question + 1)), "nobody asked that"
    save = save_pb2.SaveRequest(store=opened.store, request=client.request_id(), author=b"handshake.py")
    entities = [entity.name for entity in opened.model.entities]
    # The place of a property is that of its name among all properties of its entity.
    save.inserts.add(
        entity=entities.index(b"Note"), temporary_ids=uuid.uuid4().bytes,
        columns=[text_column(["folder", "name", "text"].index("name"), ["last moment"])])
    assert client.call("Save", save, save_pb2.SaveReply()).WhichOneof("outcome") == "saved"
    say("saved", count(opened.store))

    def let_go():
        if not os.path.exists(sys.argv[1]):
            return True
        say("answered", bool(shared.Answer(dbus.UInt64(question))))
        return False

    GLib.timeout_add(10, let_go)


def did_change(why, unchanged):
    say("changed", why, bool(unchanged))
    say("notes", count(client.open(must_exist=True).opened.store))
    loop.quit()


for member, handler in (("StoresWillChange", will_change), ("StoresDidChange", did_change)):
    client.bus.add_signal_receiver(handler, member, SHARED, path=path)
shared.TakePart(True)
say("takes part")
GLib.timeout_add_seconds(60, loop.quit)
loop.run()
