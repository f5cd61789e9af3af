"""Looks for the store of another user, whose uid it is given, in every way there is."""

import os
import sys

import dbus
from coffer_client import NAME, PATH, BusClient, Refused, fetch_pb2, storage_pb2, texts_of, user_label

other = sys.argv[1]
label = user_label(other)
client = BusClient()
found = []


def ask(path, interface, member, signature="", arguments=()):
    """The answer; None where the service says that it knows no such object."""
    try:
        return client.bus.call_blocking(NAME, path, interface, member, signature, arguments, timeout=30)
    except dbus.DBusException as error:
        assert error.get_dbus_name() == "org.freedesktop.DBus.Error.UnknownObject", error
        return None


def expect_refused(reason, method, request, reply):
    try:
        found.append(f"{method}: {client.call(method, request, reply)}")
    except Refused as refusal:
        assert refusal.reason == reason, (method, refusal)


# Only its own objects are there.
objects = ask(PATH, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
found += [path for path in objects if f"/stores/{label}/" in path]
assert [path for path in objects if f"/stores/{user_label(os.getuid())}/" in path], "its own store is open"
clients = [values for path, values in objects.items() if "/clients/" in path]
found += [v for values in clients for v in values.values() if str(v["UserID"]) == other]
for parent in (PATH, PATH + "/stores"):
    text = ask(parent, "org.freedesktop.DBus.Introspectable", "Introspect") or ""
    found += [parent] if f'"{label}"' in text or f"/{label}/" in text else []
assert f'"{user_label(os.getuid())}"' in ask(PATH + "/stores", "org.freedesktop.DBus.Introspectable", "Introspect")
text = ask(PATH + "/clients", "org.freedesktop.DBus.Introspectable", "Introspect") or ""
assert text.count("<node name=") == len(clients), text

# Those of others are not, by name either.
store = f"{PATH}/stores/{label}/org_2ecoffer_2eTests/Default/Notes"
theirs = [store] + [f"{PATH}/clients/{number}" for number in range(1, 20) if f"{PATH}/clients/{number}" not in objects]
for path in theirs + [f"{PATH}/stores/{label}"]:
    for interface, member, signature, arguments in [
        ("org.freedesktop.DBus.Introspectable", "Introspect", "", ()),
        ("org.freedesktop.DBus.Properties", "GetAll", "s", (NAME + ".Store",)),
        ("org.freedesktop.DBus.Properties", "Get", "ss", (NAME + ".Client", "ProcessName")),
        (NAME + ".Store", "IntegrityCheck", "", ()),
        (NAME + ".Store", "Vacuum", "", ()),
        (NAME + ".Client", "Disconnect", "", ()),
    ]:
        if ask(path, interface, member, signature, arguments) is not None:
            found.append(f"{path} {member}")

# Nor can they be counted, listed, opened, removed or read.
manager = ask(PATH, "org.freedesktop.DBus.Properties", "GetAll", "s", (NAME,))
own_stores = len([path for path in objects if "/stores/" in path])
assert (manager["Clients"], manager["Stores"]) == (len(clients), own_stores), manager
listed = client.call(
    "ListStores", storage_pb2.ListStoresRequest(all_applications=True), storage_pb2.ListStoresReply()).stores
found += [s.path for s in listed if f"/{other}/" in s.path.decode()]
missing = storage_pb2.StoreName(name=f"Only{other}".encode())
expect_refused("NotFound", "OpenStore", storage_pb2.OpenStoreRequest(name=missing, must_exist=True), storage_pb2.OpenStoreReply())
expect_refused("NotFound", "RemoveStore", storage_pb2.RemoveStoreRequest(name=missing), storage_pb2.RemoveStoreReply())
# A store of the same name is its own: another one, with its own notes.
own = client.open("Notes").opened
assert f"/{os.getuid()}/".encode() in own.path and f"/{other}/".encode() not in own.path, own.path
fetched = client.call("Fetch", fetch_pb2.FetchRequest(store=own.store, entity=b"Note"), fetch_pb2.FetchReply())
titles = [column for column in fetched.rows.columns if column.property == 2]
found += [text for column in titles for text in texts_of(column) if text == f"Secret of {other}"]
assert [text for column in titles for text in texts_of(column)] == [f"Secret of {os.getuid()}"], fetched
client.call("CloseStore", storage_pb2.CloseStoreRequest(store=own.store), storage_pb2.CloseStoreReply())
for escape in (b"../" + other.encode(), b"../../" + other.encode() + b"/org.coffer.Tests"):
    name = storage_pb2.StoreName(name=b"Notes", application=escape)
    expect_refused("InvalidArgument", "OpenStore", storage_pb2.OpenStoreRequest(name=name), storage_pb2.OpenStoreReply())
for handle in range(1, 20):
    request = fetch_pb2.FetchRequest(store=handle, entity=b"Note")
    expect_refused("FailedPrecondition", "Fetch", request, fetch_pb2.FetchReply())
try:
    client.bus.call_blocking(NAME, PATH, NAME, "SetLogLevel", "s", ("trace",), timeout=30)
    found.append("SetLogLevel")
except dbus.DBusException as error:
    assert error.get_dbus_name() == NAME + ".Error.PermissionDenied.denied", error
print(f"found {found}", flush=True)
