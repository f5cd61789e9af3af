"""A field of a message, by what the protocol and the options say of it."""
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

from c_form import CForm
from kinds import fault
from packed_form import PackedForm
from swift import KEYWORDS, camel, fail
from types_of_numbers import NUMBERS


class Field(CForm, PackedForm):
    """A field as Swift has it, by what the protocol and the options say of it."""

    def __init__(self, message, proto, comment, option, options):
        is_packed = options.messages[message].get("fields", False)
        self.name, self.number, self.comment, self.type = proto.name, proto.number, comment, proto.type
        self.whole = f'"coffer.v1.{message}.{proto.name}"'
        self.c = f"c.`{proto.name}`" if proto.name in KEYWORDS else f"c.{proto.name}"
        self.swift = option.get("swift") or camel(proto.name)
        self.default = option.get("default")
        self.is_repeated = proto.label == Proto.LABEL_REPEATED
        self.place = option.get("place", message)
        kind = option.get("kind", "").split()
        arguments = {"max": None, "of": None}
        for word in arguments:
            if word in kind[:-1]:
                index = kind.index(word)
                arguments[word] = kind[index + 1]
                del kind[index:index + 2]
        self.maximum = arguments["max"]
        self.is_optional = bool(kind) and kind[-1].endswith("?")
        if self.is_optional:
            kind[-1] = kind[-1][:-1]
        self.kind = [word for word in kind if word]
        if self.type == Proto.TYPE_BYTES:
            self.kind = self.kind or ["text"]
        whole = " ".join(self.kind) + ("?" if self.is_optional else "")
        if reason := fault(proto, (whole + (" max" if self.maximum else "")).strip(), is_packed):
            fail(f"{self.place}: {message}.{proto.name}: {reason}")
        self.wrapper = None
        kind_name = proto.type_name.rpartition("coffer.v1.")[2]
        if self.type == Proto.TYPE_ENUM:
            enum = options.enums.get(kind_name) or fail(f"{self.place}: the enum {kind_name} is not declared")
            self.c_enum = "Coffer__V1__" + kind_name.replace(".", "__")
            self.base, self.first_case = enum["swift"], options.first_cases[kind_name]
            if self.is_optional and kind_name in options.enums_with_zero:
                fail(f"{self.place}: {message}.{proto.name}: {kind_name} has a case of the number 0, so none is absent")
        elif self.type == Proto.TYPE_MESSAGE:
            if kind_name in options.others:
                other = options.others[kind_name]
                self.base, self.wrapper = other["swift"], other["wrapper"]
            elif kind_name in options.messages:
                self.base = options.messages[kind_name]["as"] or kind_name + "Message"
            else:
                fail(f"{self.place}: the message {kind_name} is not declared")
            self.base = arguments["of"] or self.base
        elif self.type == Proto.TYPE_BYTES:
            known = {"text": "String", "uuid": "UUID", "digest": "[UInt8]", "data": "[UInt8]", "hash": "[UInt8]",
                     "uuids": "[UUID]"}
            self.base = known[self.kind[0]]
        elif self.type == Proto.TYPE_BOOL:
            self.base = "Bool"
        else:
            self.base = "Int" if self.kind == ["Int"] else NUMBERS[self.type]

    @property
    def swift_type(self):
        if self.is_repeated:
            return f"[{self.base}]"
        if self.type == Proto.TYPE_BYTES and self.base == "[UInt8]":
            return self.base  # None of them are no bytes.
        return self.base + ("?" if self.is_optional else "")

    @property
    def empty(self):
        """What a field is that was left out; None if it must be there."""
        if self.default:
            return self.default
        if self.is_repeated or self.base in ("[UInt8]", "[UUID]"):
            return "[]"
        if self.is_optional:
            return "nil"
        if self.type in (Proto.TYPE_MESSAGE, Proto.TYPE_ENUM) or self.base == "UUID":
            return None
        if self.base == "String":
            return '""'
        if self.base == "Bool":
            return "true" if self.kind == ["not"] else "false"
        return "0"

    def limited(self, arguments, limit):
        return arguments + ([f"limit: Limits.{limit}"] if limit else [])
