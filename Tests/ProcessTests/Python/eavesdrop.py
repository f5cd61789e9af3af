"""Asks the bus for everything, and says what it heard of another user, whose uid it is given, once writer.py changed its own store
as often as it is given."""

import os
import sys

import dbus
from coffer_client import BusClient, GLib, NAME, PATH, notes_model, storage_pb2, user_label

client = BusClient()
me = client.bus.get_unique_name()
loop = GLib.MainLoop()
heard, pushes, own = [], [], []
other, count = int(sys.argv[1]), int(sys.argv[2])


def is_of_other(message):
    """Whether a message, though it is for this user, tells of what belongs to the other one."""
    if f"/stores/{user_label(other)}" in f"{message.get_path()} {message.get_args_list()}":
        return True
    return message.get_member() == "InterfacesAdded" and any(
        values.get("UserID") == other for values in message.get_args_list()[1].values())


def take(_, message):
    if message.get_sender() != "org.freedesktop.DBus":
        if message.get_destination() != me or is_of_other(message):
            heard.append(f"{message.get_path()} {message.get_interface()}.{message.get_member()}")
        elif message.get_member() == "InterfacesAdded" and f"/stores/{user_label(os.getuid())}/" in message.get_args_list()[0]:
            own.append(message.get_args_list()[0])
        elif message.get_member() == "Push":
            push = storage_pb2.Push.FromString(bytes(bytearray(message.get_args_list()[0])))
            pushes.append(push.transaction.author)
            if pushes.count(b"writer.py") == count:
                loop.quit()
    return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED


import dbus.lowlevel  # noqa: E402

client.bus.add_message_filter(take)
for rule in ["", "eavesdrop='true'", "type='signal'", f"sender='{NAME}'", f"path_namespace='{PATH}'",
             "type='method_call',eavesdrop='true'", "type='method_return',eavesdrop='true'"]:
    try:
        client.bus.add_match_string(rule)
    except dbus.DBusException as error:
        assert error.get_dbus_name().endswith("AccessDenied"), error
# From now on it is told of objects that come and go.
client.bus.call_blocking(NAME, PATH, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", (), timeout=30)
registered = client.call(
    "RegisterModel", storage_pb2.RegisterModelRequest(model=notes_model()), storage_pb2.RegisterModelReply())
opened = client.open(model_id=registered.model_id).opened
client.call("Watch", storage_pb2.WatchRequest(store=opened.store), storage_pb2.WatchReply())
print("listening", flush=True)
GLib.timeout_add_seconds(60, loop.quit)
loop.run()
assert sorted(pushes) == [b"owner.py"] + count * [b"writer.py"], pushes
assert sorted(path.rsplit("/", 1)[1] for path in own) == ["Notes", f"Only{os.getuid()}"], own
print(f"heard {heard}", flush=True)
