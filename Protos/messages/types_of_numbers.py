"""What the numbers of the protocol are in Swift."""
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

NUMBERS = {
    Proto.TYPE_DOUBLE: "Double", Proto.TYPE_FLOAT: "Float", Proto.TYPE_INT64: "Int64", Proto.TYPE_UINT64: "UInt64",
    Proto.TYPE_INT32: "Int32", Proto.TYPE_FIXED64: "UInt64", Proto.TYPE_FIXED32: "UInt32", Proto.TYPE_UINT32: "UInt32",
    Proto.TYPE_SFIXED32: "Int32", Proto.TYPE_SFIXED64: "Int64", Proto.TYPE_SINT32: "Int32", Proto.TYPE_SINT64: "Int64",
}
FIXED = {
    Proto.TYPE_DOUBLE: 8, Proto.TYPE_FIXED64: 8, Proto.TYPE_SFIXED64: 8, Proto.TYPE_FLOAT: 4, Proto.TYPE_FIXED32: 4,
    Proto.TYPE_SFIXED32: 4,
}
