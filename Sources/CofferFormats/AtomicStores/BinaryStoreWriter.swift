internal import FoundationEssentials

/// Writes whole stores in Coffer's own form, `BinaryStoreFormat`.
package enum BinaryStoreWriter {
    /// The file with `content`; equal graphs give equal bytes.
    ///
    /// - Throws: `FormatError.unrepresentable` if an object's id is not a `z` and a number, `.refused` if the
    ///   reader would not take the file back.
    package static func bytes(of content: AtomicStoreContent, file: String) throws(FormatError) -> [UInt8] {
        var payload = BinaryPayload()
        if let uuid = content.uuid?.uuid {
            payload.append(byte: 1)
            payload.append(unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) })
        } else {
            payload.append(byte: 0)
        }
        payload.append(content.lastObjectNumber ?? 0)
        payload.append(counted: BinaryPropertyListWriter.bytes(of: .dictionary(content.metadata)))
        let names = content.names
        var places: [String: UInt64] = [:]
        payload.append(UInt64(names.count))
        for (place, name) in names.enumerated() {
            payload.append(counted: Array(name.utf8))
            places[name] = UInt64(place)
        }
        payload.append(UInt64(content.objects.count))
        var budget = AtomicStoreBudget(file: file)
        for object in content.objects {
            try budget.take(object)
            try payload.append(object, places)
        }
        let bytes = Self.file(with: payload.bytes)
        guard bytes.count <= Limits.binaryStore else {
            throw budget.refused("it has \(bytes.count) bytes, \(Limits.binaryStore) are allowed")
        }
        return bytes
    }

    private static func file(with payload: [UInt8]) -> [UInt8] {
        var header = BinaryStoreFormat.magic
        let version = BinaryStoreFormat.version
        header += [UInt8(truncatingIfNeeded: version), UInt8(truncatingIfNeeded: version >> 8), 0, 0]
        header += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
        return header + BinaryStoreFormat.digest(header: header, payload: payload) + payload
    }
}

extension AtomicStoreContent {
    /// Each name that entities and properties have, once.
    fileprivate var names: [String] {
        var names: Set<String> = []
        for object in objects {
            names.insert(object.entity)
            names.formUnion(object.values.keys)
            names.formUnion(object.references.keys)
        }
        return names.sorted()
    }
}

/// The bytes behind the header, as they grow.
private struct BinaryPayload {
    private(set) var bytes: [UInt8] = []

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(_ more: [UInt8]) { bytes += more }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// With the sign in the lowest bit.
    mutating func append(signed number: Int64) {
        append(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    mutating func append(counted more: [UInt8]) {
        append(UInt64(more.count))
        bytes += more
    }

    mutating func append(_ number: Double) {
        for shift in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt64(shift))))
        }
    }

    mutating func append(_ object: AtomicStoreObject, _ places: [String: UInt64]) throws(FormatError) {
        append(places[object.entity] ?? 0)  // All names are there.
        append(UInt64(try number(of: object.id, object, "")))
        append(UInt64(object.values.count))
        for (name, value) in object.values.sorted(by: { $0.key < $1.key }) {
            append(places[name] ?? 0)
            append(value)
        }
        append(UInt64(object.references.count))
        for (name, ids) in object.references.sorted(by: { $0.key < $1.key }) {
            append(places[name] ?? 0)
            append(UInt64(ids.count))
            var last: Int64 = 0
            for id in ids {
                let number = try number(of: id, object, name)
                append(signed: number - last)  // Both are above 0.
                last = number
            }
        }
    }

    private func number(
        of id: String, _ object: AtomicStoreObject, _ property: String
    ) throws(FormatError) -> Int64 {
        if let number = AtomicStoreObject.number(ofID: id) { return number }
        throw .unrepresentable(
            entity: object.entity, object: object.id, property: property,
            reason: "'\(id)' is not a 'z' and a number")
    }

    private mutating func append(_ value: AtomicStoreValue) {
        func kind(_ kind: BinaryStoreFormat.Kind) -> UInt8 { kind.rawValue }
        switch value {
        case .integer(let number):
            append(byte: kind(.integer))
            append(signed: number)
        case .boolean(let isTrue): append(byte: kind(isTrue ? .yes : .no))
        case .real(let number):
            append(byte: kind(.real))
            append(number)
        case .decimal(let digits):
            append(byte: kind(.decimal))
            append(counted: Array(digits.utf8))
        case .text(let text):
            append(byte: kind(.text))
            append(counted: Array(text.utf8))
        case .date(let seconds):
            append(byte: kind(.date))
            append(seconds)
        case .bytes(let more):
            append(byte: kind(.bytes))
            append(counted: more)
        }
    }
}
