public import CofferModel
import CofferWire

/// What a context makes objects of; only contexts have one.
public struct ObjectSeed {
    let registry: Registry
    let layout: EntityLayout
    let reference: ObjectReference
}

/// An object of a context: values and relationships of one row, or of one that will be.
///
/// Confined with its context. A class of an application inherits from it, and keeps its `init(_:)`, so what
/// it declares besides needs initial values. One id has one object in a context, for as long as that object
/// is held.
///
/// If a value has to be read first, reading it blocks for a round trip; other objects of the same fetch are
/// read along. A plain accessor never fails: of an object that was deleted, or cannot be read at present, it
/// gives the property's default, and `ManagedObjectContext.lastFaultError` says why. `requireValues()` throws
/// instead.
///
/// ```swift
/// let note = try context.insert(entityNamed: "Note")
/// try note.setValue(.string("Milk"), forKey: "title")
/// print(note.value(forKey: "title"), note.objectID.isTemporary)
/// ```
///
/// A class that conforms to ``ModeledObject`` has typed properties instead.
open class ManagedObject {
    /// What is true of an object at a time.
    struct Status: OptionSet {
        let rawValue: UInt16
        /// Not saved yet.
        static let inserted = Status(rawValue: 1)
        /// Will be deleted by the next save.
        static let deleted = Status(rawValue: 2)
        /// Deleted in the store, or left behind by a reset: has no values any more.
        static let gone = Status(rawValue: 4)
        /// The service knows that the context has its row.
        static let held = Status(rawValue: 8)
        /// Is in the registry's table.
        static let registered = Status(rawValue: 16)
        /// The context keeps it among the updated ones.
        static let updated = Status(rawValue: 32)
        /// Tells Swift's Observation what is read of it.
        static let observable = Status(rawValue: 64)
        /// It may have observers; the registry knows them.
        static let observed = Status(rawValue: 128)
        /// Is gone because its context was reset; it was not deleted.
        static let leftBehind = Status(rawValue: 256)
    }

    final let registry: Registry
    final let layout: EntityLayout
    final var reference: ObjectReference
    /// The rows that its own is among; `nil` for a fault and for an object that was never read.
    final var batch: SnapshotBatch?
    final var row: Int32 = 0
    /// Z_OPT of the snapshot.
    final var version: UInt32 = 0
    final var status: Status = []
    final var edits: ObjectEdits?
    /// Objects that are read along when the fault fires.
    final var faults: FaultGroup?

    /// Made by contexts only.
    public required init(_ seed: ObjectSeed) {
        registry = seed.registry
        layout = seed.layout
        reference = seed.reference
        if registry.isObservable { status = .observable }
    }

    deinit {
        if status.contains(.observed) { registry.forgetRegistrar(of: self) }
        registry.remove(self)
    }

    /// The name of the entity whose objects have this class: the class's own name, if it is not overridden.
    open class var entityName: String { String(describing: self) }

    /// Called once, after the context inserted the object and gave it its defaults.
    open func awakeFromInsert() {}

    /// Called when the object's values were read from a store.
    open func awakeFromFetch() {}

    /// Called after an undo or redo changed the object; what the class computed from its values may be stale.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}

    /// Called before the object loses its values: when it is refreshed, and when it was deleted or its
    /// context is reset.
    ///
    /// Not called when the object is no longer held: `deinit` is.
    open func willTurnIntoFault() {}

    /// Called after the object lost its values; transient ones too.
    open func didTurnIntoFault() {}

    /// Called before the object is saved; it may change itself and others.
    open func willSave() {}

    /// Called after the object was saved, when the whole save is over; what it changes, the next save sends.
    open func didSave() {}

    /// Called before the object is deleted, while it still has its relationships; once, although Core Data
    /// calls it for every delete.
    open func prepareForDeletion() {}

    /// The attributes whose values `validateValue` is asked about.
    open class var validatedKeys: [String] { [] }

    /// Throws what forbids a value of one of the `validatedKeys`; the error's description is for people.
    ///
    /// - Throws: Why the value is forbidden, as an error of the class's own; the save reports it as
    ///   `CofferError.validation`.
    open func validateValue(_ value: AttributeValue, forKey key: String) throws {}

    /// Throws what forbids to insert the object; the error's description is for people.
    ///
    /// Other than in Core Data there is no need to call the superclass's: what the model demands is judged
    /// besides.
    ///
    /// - Throws: Why the object must not be inserted, as an error of the class's own; the save reports it as
    ///   `CofferError.validation`.
    open func validateForInsert() throws {}

    /// Throws what forbids to save the changes of the object; the error's description is for people.
    ///
    /// - Throws: Why the changes must not be saved, as an error of the class's own; the save reports it as
    ///   `CofferError.validation`.
    open func validateForUpdate() throws {}

    /// Throws what forbids to delete the object; the error's description is for people.
    ///
    /// - Throws: Why the object must not be deleted, as an error of the class's own; the save reports it as
    ///   `CofferError.validation`.
    open func validateForDelete() throws {}
}

extension ManagedObject {
    /// The entity.
    public final var entity: EntityDescription { layout.entity }

    /// The id; temporary until the object is saved.
    public final var objectID: ManagedObjectID {
        registry.id(reference)
    }

    /// The context, as long as it is there and the object belongs to it.
    public final var context: ManagedObjectContext? {
        status.contains(.gone) ? nil : registry.context
    }

    /// Whether its values are not read yet, or were lost when its context was reset.
    public final var isFault: Bool {
        batch == nil && status.isDisjoint(with: [.inserted, .gone]) || status.contains(.leftBehind)
    }

    /// Whether the next save inserts it.
    public final var isInserted: Bool { status.contains(.inserted) && !status.contains(.gone) }

    /// Whether it was saved before and something of it changed since.
    public final var isUpdated: Bool {
        status.intersection([.inserted, .deleted, .gone]).isEmpty && (edits?.hasChanges ?? false)
    }

    /// Whether the next save deletes it, or it was deleted, here or elsewhere.
    public final var isDeleted: Bool { isLost && !status.contains(.leftBehind) }

    /// Whether it is deleted, or belongs to no context any more.
    final var isLost: Bool { !status.isDisjoint(with: [.deleted, .gone]) }

    /// Why an object that is gone has no values.
    final var loss: CofferError {
        guard status.contains(.leftBehind) else { return .objectDeleted(objectID) }
        return .refused(
            code: StatusCode.failedPrecondition.name, reason: "left_behind",
            text: "The object belongs to no context any more, since its own was reset: fetch it again.",
            place: objectID.uri)
    }

    /// Whether the next save has something to do for it.
    public final var hasChanges: Bool {
        !status.contains(.gone)
            && (!status.isDisjoint(with: [.inserted, .deleted]) || (edits?.hasChanges ?? false))
    }

    /// What it has beyond its row, made if it has nothing yet.
    final func makeEdits() -> ObjectEdits {
        if let edits { return edits }
        let made = ObjectEdits()
        edits = made
        return made
    }
}

/// What changed an object behind its back.
public struct SnapshotEvents: OptionSet, Sendable {
    /// A bit for each.
    public let rawValue: Int
    /// A set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The insertion of the object was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1)
    /// The deletion of the object was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 2)
    /// A change was undone or done again.
    public static let undoUpdate = SnapshotEvents(rawValue: 4)
    /// All changes were taken back.
    public static let rollback = SnapshotEvents(rawValue: 8)
    /// The object was refreshed.
    public static let refresh = SnapshotEvents(rawValue: 16)
}

extension ManagedObject: Hashable {
    /// Whether they are the same object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Hashes which object it is.
    public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
