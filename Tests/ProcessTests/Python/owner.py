"""Has two stores open with one note in each, one of a name that nobody else uses, until it is killed."""

import os
import uuid

from coffer_client import BusClient, GLib, notes_model, save_pb2, storage_pb2, text_column

client = BusClient()
registered = client.call(
    "RegisterModel", storage_pb2.RegisterModelRequest(model=notes_model()), storage_pb2.RegisterModelReply())
opened = client.open(model_id=registered.model_id).opened
client.call("Watch", storage_pb2.WatchRequest(store=opened.store), storage_pb2.WatchReply())
for store in [opened, client.open(f"Only{os.getuid()}", model_id=registered.model_id).opened]:
    request = save_pb2.SaveRequest(store=store.store, request=client.request_id(), author=b"owner.py")
    request.inserts.add(
        entity=1, temporary_ids=uuid.uuid4().bytes, columns=[text_column(2, [f"Secret of {os.getuid()}"])])
    assert client.call("Save", request, save_pb2.SaveReply()).WhichOneof("outcome") == "saved"
print("open", flush=True)
GLib.MainLoop().run()
