"""Which kinds the options may give a field: what is not here would be passed over in silence."""
import re

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

from types_of_numbers import FIXED, NUMBERS

# By what a field is: the kinds of fields that libprotobuf-c reads, and of those that are read field by field.
KINDS = {
    "bytes": (r"text( long| frame)?\??|uuid\??|digest|data( must)?|data \d+\??", r"text( long| frame)?|uuid\??|data|uuids"),
    "repeated bytes": (r"text( max)?|hash", r"text( long)?( max)?"),
    "fixed number": (r"\??", r""),
    "number": (r"Int|\??", r"(Int)?"),
    "zigzag number": (r"\??", None),
    "repeated fixed number": (r"", r""),
    "repeated number": (r"", r"(Int )?max"),
    "flag": (r"(not)?", r"(not)?"),
    "enum": (r"\??", r"\??"),
    "message": (r"\??", r"\?"),
    "repeated message": (r"(max)?", r"(max)?"),
}


def sort(proto):
    """What a field is, by the names of `KINDS`; None for what messages do not have."""
    repeated = "repeated " if proto.label == Proto.LABEL_REPEATED else ""
    if proto.type in (Proto.TYPE_SINT32, Proto.TYPE_SINT64):
        return repeated + "zigzag number"
    if proto.type in NUMBERS:
        return repeated + ("fixed number" if proto.type in FIXED else "number")
    names = {
        Proto.TYPE_BYTES: "bytes", Proto.TYPE_BOOL: "flag", Proto.TYPE_ENUM: "enum", Proto.TYPE_MESSAGE: "message",
    }
    return repeated + names.get(proto.type, "string")


def fault(proto, kind, is_packed):
    """Why a field cannot be of a kind; None if it can."""
    known = sort(proto)
    if proto.HasField("oneof_index"):
        return "a field of a oneof, or one that tells whether it is there, is read by hand"
    allowed = KINDS.get(known, (None, None))[is_packed]
    if allowed is None:
        return f"a {known} cannot be read {'field by field' if is_packed else 'by libprotobuf-c'}"
    if not re.fullmatch(allowed, kind):
        return f"the kind '{kind}' does not fit a {known}"
    return None
