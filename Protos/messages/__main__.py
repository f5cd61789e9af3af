"""Makes the Swift of the messages that an options file names; Protos/generate calls it.

    python3 Protos/messages DESCRIPTORS OPTIONS FOLDER

DESCRIPTORS is what protoc makes of the .proto files, with their comments; FOLDER gets a file for each message.
What the options say is told at their head.
"""
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from enums import cases_of, enumeration
from fields import Field
from options import Options
from structures import Message
from swift import fail


def main(descriptors, options_path, folder):
    options, folder = Options(options_path), Path(folder)
    files = FileDescriptorSet.FromString(Path(descriptors).read_bytes()).file
    folder.mkdir(parents=True, exist_ok=True)
    made = set()
    for file in files:
        enums = [(enum.name, enum) for enum in file.enum_type]
        enums += [(f"{kind.name}.{enum.name}", enum) for kind in file.message_type for enum in kind.enum_type]
        options.first_cases |= {name: cases_of(name, enum)[0][0] for name, enum in enums}
        options.enums_with_zero |= {name for name, enum in enums if cases_of(name, enum)[0][1] == 0}
    for file in files:
        comments = {tuple(place.path): place.leading_comments + place.trailing_comments
                    for place in file.source_code_info.location}
        for index, proto in enumerate(file.message_type):
            if option := options.messages.get(proto.name):
                fields = [
                    Field(proto.name, field, comments[(4, index, 2, number)], option["lines"].get(field.name, {}), options)
                    for number, field in enumerate(proto.field)]
                for name in option["lines"]:
                    if name not in [field.name for field in fields]:
                        fail(f"{option['place']}: {proto.name} has no field {name}")
                message = Message(proto.name, comments[(4, index)], fields, option)
                (folder / f"{message.file}.swift").write_text(message.text(options), encoding="utf-8")
                made.add(proto.name)
            for number, inner in enumerate(proto.enum_type):
                made |= write_enum(f"{proto.name}.{inner.name}", inner, comments, (4, index, 4, number), options, folder)
        for index, proto in enumerate(file.enum_type):
            made |= write_enum(proto.name, proto, comments, (5, index), options, folder)
    made |= options.others.keys() & {proto.name for file in files for proto in file.message_type}
    for name in (options.messages | options.enums | options.others).keys() - made:
        fail(f"the protocol has no {name}")
    # One without fields has nothing that could be made.
    needed = {proto.name for file in files for proto in file.message_type if proto.field}
    for name in sorted(needed - made - options.by_hand):
        fail(f"{options_path} does not say how {name} becomes Swift: as a 'message', an 'other' or by 'hand'")
    for name in sorted(options.by_hand - needed | options.by_hand & made):
        fail(f"{options_path}: {name} is not a message with fields whose Swift is written by hand")


def write_enum(name, proto, comments, path, options, folder):
    option = options.enums.get(name)
    if not option:
        return set()
    of_cases = [comments[path + (2, index)] for index in range(len(proto.value))]
    text = enumeration(name, proto, comments[path], of_cases, option)
    file = option["swift"].replace(".", "") + ("+Wire.swift" if option["maps"] else ".swift")
    (folder / file).write_text(text, encoding="utf-8")
    return {name}


if __name__ == "__main__":
    main(*sys.argv[1:])
