extension AttributeValue {
    /// Whether both are of one kind and equal, texts by their bytes.
    public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch left {
        case .null: right.isNull
        case .integer(let value): if case .integer(let other) = right { value == other } else { false }
        case .boolean(let value): if case .boolean(let other) = right { value == other } else { false }
        case .double(let value): if case .double(let other) = right { value == other } else { false }
        case .float(let value): if case .float(let other) = right { value == other } else { false }
        case .decimal(let value): if case .decimal(let other) = right { value == other } else { false }
        case .date(let value): if case .date(let other) = right { value == other } else { false }
        case .binary(let value): if case .binary(let other) = right { value == other } else { false }
        case .transformable(let value):
            if case .transformable(let other) = right { value == other } else { false }
        case .uuid(let value): if case .uuid(let other) = right { value == other } else { false }
        case .object(let value): if case .object(let other) = right { value == other } else { false }
        case .string(let text): if case .string(let other) = right { text.hasBytes(of: other) } else { false }
        case .uri(let text): if case .uri(let other) = right { text.hasBytes(of: other) } else { false }
        }
    }

    /// Hashes kind and value; texts that look alike share a hash, which costs a comparison at most.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .boolean(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .string(let text), .uri(let text): hasher.combine(text)
        case .date(let value): hasher.combine(value)
        case .binary(let bytes), .transformable(let bytes): hasher.combine(bytes)
        case .uuid(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension String {
    /// Whether it has the bytes of another text; `==` asks only whether they look alike.
    ///
    /// - Complexity: O(bytes); O(1) if one has more of them.
    package func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
