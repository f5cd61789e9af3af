package import CofferMerge
package import CofferModel

extension LargeValue {
    /// What stands for a value among registers; `nil` if it is small, and stands there itself.
    package init?(_ value: AttributeValue) {
        guard let (kind, byteCount) = Self.facts(of: value), byteCount > Limits.largeByteCount,
            byteCount <= Limits.valueByteCount
        else { return nil }
        self.init(kind, Self.bytes(of: value))
    }

    private init(_ kind: Kind, _ bytes: [UInt8]) {
        var hashes: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: Limits.pieceByteCount) {
            let piece = bytes[start..<min(start + Limits.pieceByteCount, bytes.count)]
            hashes += ObjectHash(of: Array(piece)).bytes
        }
        self.init(kind, byteCount: UInt64(bytes.count), hashes: hashes)
    }

    private static func facts(of value: AttributeValue) -> (Kind, byteCount: Int)? {
        switch value {
        case .string(let text): (.string, text.utf8.count)
        case .uri(let text): (.uri, text.utf8.count)
        case .binary(let bytes): (.binary, bytes.count)
        case .transformable(let bytes): (.transformable, bytes.count)
        case .null, .integer, .boolean, .double, .float, .decimal, .date, .uuid, .object: nil
        }
    }

    private static func bytes(of value: AttributeValue) -> [UInt8] {
        switch value {
        case .string(let text), .uri(let text): Array(text.utf8)
        case .binary(let bytes), .transformable(let bytes): bytes
        case .null, .integer, .boolean, .double, .float, .decimal, .date, .uuid, .object: []
        }
    }
}

extension LargeValue {
    /// How many pieces it has.
    package var pieceCount: Int {
        let size = UInt64(Limits.pieceByteCount)
        return Int(clamping: byteCount / size + (byteCount % size == 0 ? 0 : 1))
    }

    /// The names of the objects that its pieces are, in their order.
    package var pieces: [ObjectName] {
        stride(from: 0, to: hashes.count, by: ObjectHash.byteCount).compactMap { start in
            ObjectHash(bytes: Array(hashes[start..<min(start + ObjectHash.byteCount, hashes.count)]))
                .map { ObjectName(.data, hash: $0) }
        }
    }

    /// The objects of the value that this stands for; none if `value` is another one.
    package func objects(of value: AttributeValue) -> [ContainerObject] {
        guard LargeValue(value) == self else { return [] }
        let bytes = Self.bytes(of: value)
        return stride(from: 0, to: bytes.count, by: Limits.pieceByteCount).map { start in
            ContainerObject(
                .data, content: Array(bytes[start..<min(start + Limits.pieceByteCount, bytes.count)]))
        }
    }

    /// The value of these pieces, which may come from anybody; `nil` if they are another one's.
    package func value(of pieces: [ContainerObject]) -> AttributeValue? {
        let bytes = pieces.flatMap(\.content)
        guard UInt64(bytes.count) == byteCount else { return nil }
        let value: AttributeValue
        switch kind {
        case .binary: value = .binary(bytes)
        case .transformable: value = .transformable(bytes)
        case .string, .uri:
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            value = kind == .string ? .string(text) : .uri(text)
        }
        return LargeValue(value) == self ? value : nil
    }
}
