package import FoundationEssentials

/// The whole graph of an atomic store, whatever format its file has.
///
/// Names are as the file writes them: which entity and property of a model they mean is for its reader to
/// say.
package struct AtomicStoreContent: Sendable, Equatable {
    /// The store's UUID; `nil` if its file says none.
    package var uuid: UUID?
    /// The highest number that an id was given; `nil` if the file says none.
    package var lastObjectNumber: UInt64?
    /// What the store says of itself.
    package var metadata: [String: PropertyListValue]
    /// The objects, in the order of the file.
    package var objects: [AtomicStoreObject]

    /// A graph of `objects`, with what its store says of itself.
    package init(
        uuid: UUID? = nil, lastObjectNumber: UInt64? = nil, metadata: [String: PropertyListValue] = [:],
        objects: [AtomicStoreObject] = []
    ) {
        self.uuid = uuid
        self.lastObjectNumber = lastObjectNumber
        self.metadata = metadata
        self.objects = objects
    }
}

/// One object of an atomic store.
package struct AtomicStoreObject: Sendable, Equatable {
    /// The entity's name.
    package var entity: String
    /// What references call the object; no two have the same.
    package var id: String
    /// Values by attribute; an attribute without one is null.
    package var values: [String: AtomicStoreValue]
    /// Ids of other objects by relationship, in order.
    package var references: [String: [String]]

    /// An object of `entity` that references call `id`.
    package init(
        entity: String, id: String, values: [String: AtomicStoreValue] = [:],
        references: [String: [String]] = [:]
    ) {
        self.entity = entity
        self.id = id
        self.values = values
        self.references = references
    }
}

extension AtomicStoreObject {
    /// The number in an id such as `z102`; `nil` if it is of another form, or its number cannot be a key.
    package static func number(ofID id: String) -> Int64? {
        guard id.utf8.first == UInt8(ascii: "z"), let number = Int64(id.dropFirst()), number > 0,
            self.id(ofNumber: number) == id
        else { return nil }
        return number
    }

    /// The id with a number.
    package static func id(ofNumber number: Int64) -> String { "z\(number)" }
}

/// One value of an attribute.
package enum AtomicStoreValue: Sendable, Hashable {
    /// An integer of any width.
    case integer(Int64)
    /// True or false.
    case boolean(Bool)
    /// A floating point number, as wide as the file has it.
    case real(Double)
    /// The digits of a decimal number, all of them.
    case decimal(String)
    /// Text.
    case text(String)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// Bytes.
    case bytes([UInt8])
}
