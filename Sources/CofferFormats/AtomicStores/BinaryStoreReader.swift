internal import FoundationEssentials

/// Reads whole stores in Coffer's own form, `BinaryStoreFormat`.
///
/// Nothing of a file is trusted: its digest is checked first, and then each length against the bytes that are
/// left. Nothing is nested but the property list of the metadata, whose reader has bounds of its own.
package enum BinaryStoreReader {
    /// The graph in `bytes`, which errors call `file`.
    ///
    /// - Throws: `FormatError.damagedStore` with the place in the file, `.unsupported` for another version,
    ///   `.refused` if it is larger than is allowed.
    package static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> AtomicStoreContent {
        let headerByteCount = BinaryStoreFormat.headerByteCount
        guard BinaryStoreFormat.recognises(bytes) else {
            throw .damagedStore(path: file, offset: 0, reason: "it does not begin as a binary store")
        }
        guard bytes.count >= headerByteCount else {
            throw .damagedStore(path: file, offset: bytes.count, reason: "it ends inside its header")
        }
        let version = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
        guard version == BinaryStoreFormat.version, bytes[10] == 0, bytes[11] == 0 else {
            throw .unsupported(path: file, reason: "it has version \(version) of the binary store's form")
        }
        let length = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[12 + $1]) << UInt64(8 * $1) }
        guard length == UInt64(bytes.count - headerByteCount) else {
            throw .damagedStore(
                path: file, offset: 12,
                reason: "\(bytes.count - headerByteCount) bytes follow the header, which says \(length)")
        }
        let digest = Array(bytes[BinaryStoreFormat.digestOffset..<headerByteCount])
        let expected = BinaryStoreFormat.digest(
            header: Array(bytes[..<BinaryStoreFormat.digestOffset]), payload: Array(bytes[headerByteCount...])
        )
        guard digest == expected else {
            throw .damagedStore(
                path: file, offset: BinaryStoreFormat.digestOffset,
                reason: "its bytes are not those that were written")
        }
        return try readPayload(bytes, file: file)
    }

    /// Reads what is behind the header, whose digest is not looked at.
    package static func readPayload(
        _ bytes: [UInt8], file: String
    ) throws(FormatError) -> AtomicStoreContent {
        var cursor = BinaryCursor(
            bytes, from: min(BinaryStoreFormat.headerByteCount, bytes.count), file: file)
        var content = AtomicStoreContent()
        switch try cursor.byte() {
        case 0: break
        case 1: content.uuid = try cursor.uuid()
        default: throw cursor.damaged("it does not say whether there is a UUID")
        }
        content.lastObjectNumber = try cursor.number()
        let list = try cursor.counted()
        guard let metadata = try BinaryPropertyListReader.read(list).dictionary else {
            throw cursor.damaged("the metadata is not a dictionary")
        }
        content.metadata = metadata
        var names: [String] = []
        let nameCount = try cursor.count()
        guard nameCount <= Limits.atomicNames else { throw cursor.damaged("it has \(nameCount) names") }
        for _ in 0..<nameCount { names.append(try cursor.text()) }
        var budget = AtomicStoreBudget(file: file)
        for _ in 0..<(try cursor.count()) {
            let object = try object(&cursor, names: names, budget: &budget)
            content.objects.append(object)
        }
        guard cursor.isAtEnd else { throw cursor.damaged("bytes follow the last object") }
        return content
    }

    private static func object(
        _ cursor: inout BinaryCursor, names: [String], budget: inout AtomicStoreBudget
    ) throws(FormatError) -> AtomicStoreObject {
        func name(_ place: UInt64) throws(FormatError) -> String {
            guard place < UInt64(names.count) else { throw cursor.damaged("there is no name \(place)") }
            return names[Int(place)]
        }
        try budget.takeObject()
        var object = AtomicStoreObject(
            entity: try name(try cursor.number()), id: try cursor.ownID())
        for _ in 0..<(try cursor.count()) {
            let property = try name(try cursor.number())
            try budget.take(values: 1)
            let value = try cursor.value()
            guard object.values.updateValue(value, forKey: property) == nil else {
                throw cursor.damaged("an object has '\(property)' twice")
            }
        }
        for _ in 0..<(try cursor.count()) {
            let property = try name(try cursor.number())
            try budget.take(values: 1)
            var ids: [String] = []
            var last: Int64 = 0
            for _ in 0..<(try cursor.count()) {
                try budget.take(values: 1)
                let id = try cursor.id(after: last)
                ids.append(id.text)
                last = id.number
            }
            guard object.values[property] == nil, object.references.updateValue(ids, forKey: property) == nil
            else { throw cursor.damaged("an object has '\(property)' twice") }
        }
        return object
    }
}
