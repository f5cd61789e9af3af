public import FoundationEssentials

/// An object's name everywhere: in contexts, in stores and between processes.
///
/// Two ids are equal if store, inheritance tree and key are equal, whichever contexts they come from.
///
/// ```swift
/// let text = note.objectID.uri  // x-coffer://<store>/Note/p12, good for files and other processes.
/// if let id = ManagedObjectID(uri: text, in: model) { print(context.object(with: id)) }
/// ```
public struct ManagedObjectID: Sendable {
    /// What distinguishes the object in its store.
    public enum Key: Sendable, Hashable {
        /// Saved: the primary key in the table of its inheritance tree.
        case permanent(Int64)
        /// Not saved yet: made by the context that inserted it.
        case temporary(UUID)
    }

    /// The entity, as far as it is known: a reference may name an object through an entity it inherits from.
    public let entity: EntityDescription
    /// The store's UUID; `nil` for an object that is not saved and not assigned to a store.
    public let storeUUID: UUID?
    /// What distinguishes the object in its store.
    public let key: Key

    /// An id from its parts; an id of a saved object has a store.
    public init(entity: EntityDescription, storeUUID: UUID?, key: Key) {
        self.entity = entity
        self.storeUUID = storeUUID
        self.key = key
    }
}

extension ManagedObjectID: Hashable {
    /// Whether both name the same object, whichever entity they name it through.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left.key, right.key) {
        case (.permanent(let a), .permanent(let b)):
            a == b && left.storeUUID == right.storeUUID
                && (left.entity === right.entity || left.entity.rootName == right.entity.rootName)
        case (.temporary(let a), .temporary(let b)): a == b
        case (.permanent, .temporary), (.temporary, .permanent): false
        }
    }

    /// Hashes the key, which equal ids share.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}

extension ManagedObjectID {
    /// Whether the object has not been saved yet.
    public var isTemporary: Bool {
        if case .temporary = key { true } else { false }
    }

    /// The primary key of a saved object.
    package var primaryKey: Int64? {
        if case .permanent(let primaryKey) = key { primaryKey } else { nil }
    }

    /// The text form, `x-coffer://<store UUID>/<Entity>/p<key>`, or `…/t<UUID>` for an object not saved yet.
    public var uri: String {
        let store = storeUUID?.uuidString ?? ""
        return switch key {
        case .permanent(let primaryKey): "x-coffer://\(store)/\(entity.name)/p\(primaryKey)"
        case .temporary(let uuid): "x-coffer://\(store)/\(entity.name)/t\(uuid.uuidString)"
        }
    }
}

extension ManagedObjectID {
    /// Reads the text form that `uri` gives; `nil` if the text has another form, or the model no such
    /// entity.
    ///
    /// Core Data's own, `x-coredata://<store UUID>/<Entity>/p<key>`, names the same object of a saved store,
    /// and is read as well.
    ///
    /// It is not checked whether there is such an object.
    public init?(uri: String, in model: ManagedObjectModel) {
        guard let scheme = Self.schemes.first(where: { uri.hasPrefix($0) }) else { return nil }
        let parts = uri.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let entity = model.entity(named: String(parts[1])) else { return nil }
        let store = UUID(uuidString: String(parts[0]))
        let number = parts[2].dropFirst()
        switch parts[2].first {
        case "p":
            guard let store, let key = Int64(number), key > 0, String(key) == number else { return nil }
            self.init(entity: entity, storeUUID: store, key: .permanent(key))
        case "t":
            guard parts[0].isEmpty, let id = UUID(uuidString: String(number)) else { return nil }
            self.init(entity: entity, storeUUID: nil, key: .temporary(id))
        default: return nil
        }
    }

    private static let schemes = ["x-coffer://", "x-coredata://"]
}

extension ManagedObjectID: CustomStringConvertible {
    /// The URI, as `uri` gives it.
    public var description: String { uri }
}
