"""A client of Coffer that shares no code with it: Debian's D-Bus binding, and messages that protoc made."""

import os
import socket
import struct
import sys
import uuid

sys.path.insert(0, os.environ["COFFER_MESSAGES"])

import dbus  # noqa: E402
import dbus.mainloop.glib  # noqa: E402
from gi.repository import GLib  # noqa: E402

from coffer.v1 import channel_pb2, fetch_pb2, model_pb2, save_pb2, storage_pb2, values_pb2  # noqa: E402,F401

NAME = "org.coffer.Storage1"
PATH = "/org/coffer/Storage1"


def user_label(user):
    """A uid as it stands in paths of objects: the first digit of a label is escaped."""
    return f"_{ord(str(user)[0]):02x}{str(user)[1:]}"


class Refused(Exception):
    """What the service answered instead of a reply."""

    def __init__(self, detail):
        super().__init__(f"{detail.code} {detail.reason.decode()}: {detail.text.decode()}")
        self.code, self.reason = detail.code, detail.reason.decode()


def connect():
    """A connection of its own to the bus that the environment names."""
    address = os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or os.environ["DBUS_SESSION_BUS_ADDRESS"]
    return dbus.bus.BusConnection(address, mainloop=dbus.mainloop.glib.DBusGMainLoop())


class BusClient:
    """Every rpc as a method on the bus."""

    def __init__(self, application="org.coffer.Tests", says_hello=True):
        self.bus = connect()
        self.id = uuid.uuid4().bytes
        self.saves = 0
        self.application = application
        if says_hello:
            self.greeting = self.call("Hello", self.hello(), storage_pb2.HelloReply())

    def hello(self):
        return storage_pb2.HelloRequest(
            protocol=1, application=self.application.encode(), client=self.id, process_name=b"python")

    def call(self, method, request, reply, descriptors=()):
        """The reply of an rpc."""
        try:
            data, memory = self.bus.call_blocking(
                NAME, PATH, NAME, method, "ayah",
                (dbus.ByteArray(request.SerializeToString()), dbus.Array(descriptors, signature="h")), timeout=30)
        except dbus.DBusException as error:
            raise self.refusal(error) from None
        if memory and not data:
            with os.fdopen(memory[0].take(), "rb") as file:
                data = file.read()
        reply.ParseFromString(bytes(bytearray(data)))
        return reply

    @staticmethod
    def refusal(error):
        """The detail that the service sent with its error; the error itself where it is another's."""
        if not error.get_dbus_name().startswith(NAME + ".Error.") or len(error.args) < 1:
            return error
        detail = storage_pb2.ErrorDetail()
        # The name says the code, before a reason if there is one.
        detail.reason = error.get_dbus_name()[len(NAME + ".Error."):].split(".")[0].encode()
        detail.text = str(error.args[0]).encode()
        return Refused(detail)

    def open(self, name="Notes", model_id=b"", **options):
        request = storage_pb2.OpenStoreRequest(
            name=storage_pb2.StoreName(name=name.encode()), model_id=model_id, **options)
        return self.call("OpenStore", request, storage_pb2.OpenStoreReply())

    def request_id(self):
        self.saves += 1
        return save_pb2.RequestID(client=self.id, sequence=self.saves, acknowledged=self.saves - 1)


def text_column(index, texts):
    """A column of text: all bytes in a row, and where each ends."""
    data, ends = b"", []
    for text in texts:
        data += text.encode()
        ends.append(len(data))
    return values_pb2.Column(property=index, kind=values_pb2.COLUMN_KIND_BYTES, data=data, ends=ends)


def texts_of(column):
    """The texts of a column."""
    starts = [0] + list(column.ends)
    return [column.data[start:end].decode() for start, end in zip(starts, column.ends)]


def notes_model():
    """Notes in folders."""
    string, integer = 700, 200
    note = model_pb2.Entity(name=b"Note")
    note.attributes.add(name=b"stars", type=integer, is_optional=True)
    note.attributes.add(name=b"title", type=string, is_optional=True)
    note.relationships.add(
        name=b"folder", destination=b"Folder", inverse=b"notes", is_optional=True, maximum_count=1, delete_rule=1)
    folder = model_pb2.Entity(name=b"Folder")
    folder.attributes.add(name=b"name", type=string, is_optional=True)
    folder.relationships.add(
        name=b"notes", destination=b"Note", inverse=b"folder", is_to_many=True, is_optional=True, delete_rule=2)
    return model_pb2.Model(entities=[folder, note])


class Channel:
    """The data plane: frames over the socket that OpenChannel gives."""

    HEADER = struct.Struct("<IBBHQIHH")
    CALL, REPLY, PUSH = 1, 2, 7

    def __init__(self, client):
        reply, descriptor = client.bus.call_blocking(
            NAME, PATH, NAME, "OpenChannel", "ay", (dbus.ByteArray(client.hello().SerializeToString()),), timeout=30)
        self.greeting = storage_pb2.HelloReply.FromString(bytes(bytearray(reply)))
        self.socket = socket.socket(fileno=descriptor.take())
        self.socket.settimeout(30)
        self.next_call, self.pushes = 1, []

    def call(self, method, request, reply):
        payload, call = request.SerializeToString(), self.next_call
        self.next_call += 2
        self.socket.sendall(self.HEADER.pack(len(payload), self.CALL, 0, method, call, 0, 0, 0) + payload)
        while True:
            kind, number, status, answer = self.receive()
            if kind == self.PUSH:
                self.pushes.append(storage_pb2.Push.FromString(answer))
            elif number == call:
                if status:
                    raise Refused(storage_pb2.ErrorDetail.FromString(answer))
                reply.ParseFromString(answer)
                return reply

    def receive(self):
        """The next frame; a large payload comes in memory of its own."""
        data, descriptors, _, _ = socket.recv_fds(self.socket, self.HEADER.size, 16)
        data += self.take(self.HEADER.size - len(data))
        length, kind, flags, _, number, _, _, status = self.HEADER.unpack(data)
        if flags & 1:
            with os.fdopen(descriptors[0], "rb") as memory:
                return kind, number, status, memory.read(length)
        return kind, number, status, self.take(length)

    def take(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the service hung up")
            data += part
        return data
