"""Inserts one note with the title that it is given."""

import sys

from coffer_client import BusClient, save_pb2, text_column
import uuid

client = BusClient()
opened = client.open(must_exist=True).opened
request = save_pb2.SaveRequest(store=opened.store, request=client.request_id(), author=b"writer.py")
entities = [entity.name for entity in opened.model.entities]
request.inserts.add(
    entity=entities.index(b"Note"), temporary_ids=uuid.uuid4().bytes,
    columns=[text_column(int(sys.argv[2]), [sys.argv[1]])])
assert client.call("Save", request, save_pb2.SaveReply()).WhichOneof("outcome") == "saved"
