// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// A store that is there.
///
/// `coffer.v1.StoreDescription`.
package struct StoreDescriptionMessage: Sendable, Equatable {
    /// What OpenStore calls it.
    package var name: StoreNameMessage
    /// Where its file is, for people.
    package var path: String
    /// Of its file and those of SQLite beside it.
    package var byteCount: UInt64
    /// Whether the service has it open.
    package var isOpen: Bool
    /// How it keeps its objects.
    package var type: StoreType?

    /// A message from its fields.
    package init(
        name: StoreNameMessage, path: String, byteCount: UInt64, isOpen: Bool, type: StoreType? = nil
    ) {
        self.name = name
        self.path = path
        self.byteCount = byteCount
        self.isOpen = isOpen
        self.type = type
    }
}

extension StoreDescriptionMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__StoreDescription>) {
        unsafe coffer__v1__store_description__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__StoreDescription>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.StoreDescription.name")
        path = try unsafe c.path.text("coffer.v1.StoreDescription.path")
        byteCount = unsafe c.byte_count
        isOpen = unsafe c.is_open != 0
        type = try unsafe optionalChoice(c.type.rawValue, "coffer.v1.StoreDescription.type")
    }

    func fill(_ c: inout Coffer__V1__StoreDescription, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.path = arena.text(path)
        unsafe c.byte_count = byteCount
        unsafe c.is_open = isOpen ? 1 : 0
        unsafe c.type = Coffer__V1__StoreType(rawValue: type?.wire ?? 0)
    }
}
