"""Calls every rpc over D-Bus, hears of another process's save, and speaks frames over a channel."""

import os
import sqlite3
import subprocess
import sys
import uuid

import dbus

from coffer_client import (
    NAME, PATH, BusClient, Channel, GLib, Refused, channel_pb2, fetch_pb2, notes_model, save_pb2, storage_pb2,
    text_column, texts_of)

called = set()
client = BusClient()
called.add("Hello")
assert client.greeting.protocol == 1 and client.greeting.application == b"org.coffer.Tests", client.greeting


def call(method, request, reply):
    called.add(method)
    return client.call(method, request, reply)


# Models and stores.
model = notes_model()
model_id = call("RegisterModel", storage_pb2.RegisterModelRequest(model=model), storage_pb2.RegisterModelReply()).model_id
assert len(model_id) == 32
called.add("OpenStore")
assert client.open(model_id=b"\x01" * 32).WhichOneof("outcome") == "need_model"
opened = client.open(model_id=model_id).opened
assert opened.created and len(opened.uuid) == 16
again = client.open().opened
assert again.model.entities, "the store keeps its model"
entities = [entity.name for entity in again.model.entities]
FOLDER, NOTE = entities.index(b"Folder"), entities.index(b"Note")
store = opened.store

# The place of a property is that of its name among all properties of its entity.
fetched = call(
    "Fetch", fetch_pb2.FetchRequest(store=store, entity=b"Note", result_type=3), fetch_pb2.FetchReply())
assert fetched.count == 0
properties = sorted(["stars", "title", "folder"])
FOLDER_OF, STARS, TITLE = (properties.index(name) for name in ("folder", "stars", "title"))

# Saves.
save = save_pb2.SaveRequest(store=store, request=client.request_id(), author=b"every_rpc.py")
save.inserts.add(entity=FOLDER, temporary_ids=uuid.uuid4().bytes)
notes = save.inserts.add(entity=NOTE, temporary_ids=b"".join(uuid.uuid4().bytes for _ in range(2)))
notes.columns.append(text_column(TITLE, ["Milk", "Zürich"]))
owner = notes.columns.add(property=FOLDER_OF, kind=8)
owner.integers.extend([-1, -1])  # The first object that this save inserts.
owner.entities.extend([FOLDER, FOLDER])
saved = call("Save", save, save_pb2.SaveReply()).saved
assert saved.number == 1, saved
folder_key, note_key = saved.first_keys

# Keys that are given out before anything is saved.
wanted = save_pb2.KeyReservation(entity=NOTE, count=2)
reserved = call(
    "ReserveKeys", save_pb2.ReserveKeysRequest(store=store, reservations=[wanted]), save_pb2.ReserveKeysReply())
assert list(reserved.first_keys) == [note_key + 2], reserved

# Reads.
request = fetch_pb2.FetchRequest(store=store, entity=b"Note")
request.sort_descriptors.add(key_path=[b"title"])
rows = call("Fetch", request, fetch_pb2.FetchReply()).rows
titles = next(column for column in rows.columns if column.property == TITLE)
assert texts_of(titles) == ["Milk", "Zürich"], titles
request = fetch_pb2.RowsRequest(store=store, entity=NOTE, primary_keys=[note_key + 1, 999])
batches = call("Rows", request, fetch_pb2.RowsReply()).batches
assert sum(batch.row_count for batch in batches) == 1
request = fetch_pb2.RelationshipRequest(
    store=store, entity=FOLDER, property=sorted(["name", "notes"]).index("notes"), primary_keys=[folder_key])
many = call("Relationship", request, fetch_pb2.RelationshipReply())
assert sorted(many.primary_keys) == [note_key, note_key + 1] and list(many.ends) == [2], many
assert not many.rows, many
request.with_rows = True
many = call("Relationship", request, fetch_pb2.RelationshipReply())
assert [batch.row_count for batch in many.rows] == [2], many
call("Release", fetch_pb2.ReleaseRequest(store=store, entity=NOTE, primary_keys=[note_key]), fetch_pb2.ReleaseReply())
pin = call("Pin", storage_pb2.PinRequest(store=store), storage_pb2.PinReply())
request = fetch_pb2.RowsRequest(store=store, entity=NOTE, primary_keys=[note_key], generation=pin.generation)
assert sum(batch.row_count for batch in call("Rows", request, fetch_pb2.RowsReply()).batches) == 1
call("Release", fetch_pb2.ReleaseRequest(store=store, generation=pin.generation), fetch_pb2.ReleaseReply())
plan = call("Explain", fetch_pb2.FetchRequest(store=store, entity=b"Note"), fetch_pb2.ExplainReply())
assert b"SELECT" in plan.sql and plan.plan, plan

# History, consumers, metadata.
token = save_pb2.HistoryToken(store_uuid=opened.uuid, number=0)
history = call("History", save_pb2.HistoryRequest(store=store, after=token), save_pb2.HistoryReply()).transactions
# Without a place behind which: all that is left.
left = call("History", save_pb2.HistoryRequest(store=store), save_pb2.HistoryReply()).transactions
assert len(left.transactions) == len(history.transactions) > 0, left
assert [t.author for t in history.transactions] == [b"every_rpc.py"], history
call("Consumer", save_pb2.ConsumerRequest(store=store, name=b"python", acknowledged=1), save_pb2.ConsumerReply())
purged = call("PurgeHistory", save_pb2.PurgeHistoryRequest(store=store, before=1), save_pb2.PurgeHistoryReply())
assert purged.floor <= 1, purged
entry = storage_pb2.MetadataEntry(key=b"colour", text=b"blue")
metadata = call("Metadata", storage_pb2.MetadataRequest(store=store, set=[entry]), storage_pb2.MetadataReply())
assert (b"colour", b"blue") in [(e.key, e.text) for e in metadata.entries], metadata

# A push that another process causes.
loop = GLib.MainLoop()
pushes = []


def heard(data):
    pushes.append(storage_pb2.Push.FromString(bytes(bytearray(data))))
    loop.quit()


client.bus.add_signal_receiver(heard, "Push", NAME, None, PATH)
call("Watch", storage_pb2.WatchRequest(store=store), storage_pb2.WatchReply())
writer = subprocess.Popen(
    [sys.executable, os.path.join(os.path.dirname(__file__), "writer.py"), "From elsewhere", str(TITLE)])
GLib.timeout_add_seconds(20, loop.quit)
loop.run()
assert writer.wait(20) == 0
assert pushes and pushes[0].kind == storage_pb2.Push.KIND_DID_SAVE, pushes
assert (pushes[0].previous, pushes[0].number) == (1, 2), pushes
assert pushes[0].transaction.author == b"writer.py", pushes

# The channel.
called.add("OpenChannel")
channel = Channel(client)
assert channel.greeting.service == client.greeting.service
try:
    channel.call(channel_pb2.METHOD_LIST_STORES, storage_pb2.ListStoresRequest(), storage_pb2.ListStoresReply())
    raise AssertionError("Hello comes first")
except Refused as refusal:
    assert (refusal.code, refusal.reason) == (9, "protocol"), refusal
hello = channel.call(channel_pb2.METHOD_HELLO, client.hello(), storage_pb2.HelloReply())
assert hello.application == b"org.coffer.Tests"
name = storage_pb2.StoreName(name=b"Notes")
there = channel.call(
    channel_pb2.METHOD_OPEN_STORE, storage_pb2.OpenStoreRequest(name=name), storage_pb2.OpenStoreReply()).opened
request = fetch_pb2.FetchRequest(store=there.store, entity=b"Note")
rows = channel.call(channel_pb2.METHOD_FETCH, request, fetch_pb2.FetchReply()).rows
titles = next(column for column in rows.columns if column.property == TITLE)
assert sorted(texts_of(titles)) == ["From elsewhere", "Milk", "Zürich"], titles
channel.socket.close()

# A copy, while the store is in use: into a folder, or as a descriptor.
folder = os.environ["COFFER_MESSAGES"]
backup = os.path.join(folder, "backup.sqlite")
place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
copied = client.call(
    "BackupStore",
    storage_pb2.BackupStoreRequest(store=store, file_name=b"backup.sqlite", place=folder.encode()),
    storage_pb2.BackupStoreReply(), [dbus.types.UnixFd(place)])
called.add("BackupStore")
os.close(place)
assert copied.uuid == opened.uuid and copied.byte_count == os.path.getsize(backup), copied

# A new store of another type, with the same objects.
place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
made = client.call(
    "CopyStore",
    storage_pb2.CopyStoreRequest(
        store=store, file_name=b"copy.xml", place=folder.encode(), type=storage_pb2.STORE_TYPE_XML),
    storage_pb2.CopyStoreReply(), [dbus.types.UnixFd(place)]).made
called.add("CopyStore")
os.close(place)
assert made.former_uuid == opened.uuid and made.uuid != opened.uuid, made
assert os.path.exists(os.path.join(folder, "copy.xml"))

# Its file, as small as it can be.
vacuumed = call("VacuumStore", storage_pb2.VacuumStoreRequest(store=store), storage_pb2.VacuumStoreReply())
assert vacuumed.byte_count > 0 and vacuumed.done_bytes == vacuumed.total_bytes, vacuumed

# What another model would do, which is nothing where it is the store's own.
request = storage_pb2.MigrateStoreRequest(name=name, model_id=model_id, dry_run=True)
assert call("MigrateStore", request, storage_pb2.MigrateStoreReply()).plan.idle
request = storage_pb2.MigrateStoreRequest(name=name, model_id=b"\x01" * 32)
assert call("MigrateStore", request, storage_pb2.MigrateStoreReply()).need_model

# The end.
stores = call("ListStores", storage_pb2.ListStoresRequest(), storage_pb2.ListStoresReply()).stores
assert [s.name.name for s in stores] == [b"Notes"], stores
for handle in (store, again.store):
    call("CloseStore", storage_pb2.CloseStoreRequest(store=handle), storage_pb2.CloseStoreReply())
try:
    call("Fetch", fetch_pb2.FetchRequest(store=store, entity=b"Note"), fetch_pb2.FetchReply())
    raise AssertionError("the store is closed")
except Refused as refusal:
    assert refusal.reason == "FailedPrecondition", refusal
# A backup in the store's place.
with sqlite3.connect(backup) as copy:
    assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
copy.close()
file = os.open(backup, os.O_RDONLY)
replaced = client.call(
    "ReplaceStore", storage_pb2.ReplaceStoreRequest(name=name), storage_pb2.ReplaceStoreReply(), [dbus.types.UnixFd(file)])
called.add("ReplaceStore")
assert replaced.uuid == opened.uuid and replaced.number == 3, replaced
# The store of another type, in its place.
moved = call(
    "MoveStore", storage_pb2.MoveStoreRequest(name=name, type=storage_pb2.STORE_TYPE_BINARY),
    storage_pb2.CopyStoreReply()).made
assert moved.former_uuid == replaced.uuid and moved.uuid != replaced.uuid, moved
# The channel's session ends when the service sees that its end is closed.
for _ in range(1000):
    try:
        call("RemoveStore", storage_pb2.RemoveStoreRequest(name=name), storage_pb2.RemoveStoreReply())
        break
    except Refused as refusal:
        assert refusal.reason == "FailedPrecondition", refusal
assert not call("ListStores", storage_pb2.ListStoresRequest(), storage_pb2.ListStoresReply()).stores

missing = {method.name for method in storage_pb2.DESCRIPTOR.services_by_name["Storage"].methods} - called
assert not missing, f"not called: {missing}"
print("every rpc was answered")
