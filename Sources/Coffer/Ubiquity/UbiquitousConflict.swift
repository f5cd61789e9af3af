internal import CofferFormats
public import CofferModel
internal import CofferWire
public import FoundationEssentials

/// What one machine did to a shared store, and an edit of another one overruled whose author had not seen it.
public struct UbiquitousConflict: Sendable, Equatable {
    /// What was overruled, and by what.
    @nonexhaustive
    public enum Kind: String, Sendable, CaseIterable {
        /// A value, by another value of the property.
        case value
        /// A to-one link, since both moves together would make a circle, or two partners of one.
        case move
        /// Edits of an object, by its deletion.
        case edit
        /// A deletion, by an edit that keeps the object.
        case deletion
        /// What one of two objects had that became one.
        case merge
    }

    /// The author of an edit, and its time by that machine's clock.
    public struct Side: Sendable, Equatable {
        /// What the machine's store writes under: 16 hexadecimal digits; empty if no single edit did it.
        public let peer: String
        /// When.
        public let date: Date
    }

    /// One property.
    public struct Value: Sendable, Equatable {
        /// Its name; `Box.things` for the one box whose `things`, without an inverse, hold the object.
        public let property: String
        /// What was overruled; `nil` if it is not at hand: it is large, or an object that is gone.
        public let lost: AttributeValue?
        /// What stayed; `nil` if nothing did, or it is not at hand.
        public let kept: AttributeValue?
    }

    /// Its number in the store's journal, which it keeps.
    public let number: UInt64
    /// How it was overruled.
    public let kind: Kind
    /// The object's entity.
    public let entityName: String
    /// The object; `nil` if it is gone.
    public let objectID: ManagedObjectID?
    /// The property; empty if the conflict is about all of the object.
    public let property: String
    /// What was overruled and what stayed, by property.
    public let values: [Value]
    /// The author and time of what was overruled.
    public let lost: Side
    /// The author and time of what stayed.
    public let kept: Side
    /// When it was found on this machine.
    public let noted: Date
    /// Whether what was overruled was written on this machine.
    public let isOwn: Bool
    /// Whether it was undone on this machine.
    public let isUndone: Bool
    /// The handle of the store whose journal has it.
    let store: UInt32
}

extension UbiquitousConflict {
    /// The conflict of a store; `nil` if it is of a kind that only a later version knows.
    init?(_ message: SyncConflictMessage, in store: CoordinatedStoreDescription, of model: ManagedObjectModel)
    {
        guard let kind = Kind(rawValue: message.kind) else { return nil }
        (number, self.kind, entityName) = (message.number, kind, message.entity)
        let key = Int64(clamping: message.primaryKey)
        objectID = model.entity(named: message.entity).flatMap { entity in
            key == 0 ? nil : ManagedObjectID(entity: entity, storeUUID: store.uuid, key: .permanent(key))
        }
        property = message.property
        let resolve = { (value: AttributeValue?) -> AttributeValue? in
            guard case .object(let id)? = value, model.entities.indices.contains(id.entity.index) else {
                return value
            }
            return .object(
                ManagedObjectID(
                    entity: model.entities[id.entity.index], storeUUID: store.uuid, key: id.key))
        }
        values = message.values.map {
            Value(property: $0.property, lost: resolve($0.lost), kept: resolve($0.kept))
        }
        (lost, kept) = (Side(message.lost), Side(message.kept))
        noted = Self.date(message.noted)
        (isOwn, isUndone) = (message.isOwn, message.isUndone)
        self.store = store.handle
    }

    fileprivate static func date(_ microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1e6)
    }
}

extension UbiquitousConflict.Side {
    fileprivate init(_ message: SyncConflictMessage.Side) {
        peer = message.peer == 0 ? "" : HexadecimalDigits.text(of: message.peer)
        date = UbiquitousConflict.date(message.time)
    }
}
