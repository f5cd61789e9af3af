/// The permanent names that objects of a context got before they were saved.
///
/// A name is kept until a save has used it, or the insertion is taken back for good. If others may still
/// name the object, or an undo may bring it back, the name is kept longer.
package struct ReservedNames {
    private var keys: [ObjectReference: Int64] = [:]
    private var names: [Int64: ObjectReference] = [:]

    /// Whether there are none, as mostly.
    @inline(__always)
    package var isEmpty: Bool { keys.isEmpty }

    /// The key below 0 that the object was inserted with; `nil` if the name was not reserved.
    func key(of name: ObjectReference) -> Int64? { keys.isEmpty ? nil : keys[name] }

    /// The name of the object that was inserted with a key below 0.
    func name(of key: Int64) -> ObjectReference? { names.isEmpty ? nil : names[key] }

    /// Notes the name of an object.
    mutating func note(_ name: ObjectReference, insertionKey: Int64) {
        keys[name] = insertionKey
        names[insertionKey] = name
    }

    /// Forgets a name.
    mutating func remove(_ name: ObjectReference) {
        if let key = keys.removeValue(forKey: name) { names[key] = nil }
    }

    /// Forgets the names in a store, by its place.
    mutating func removeAll(of store: Int16) {
        for name in keys.keys where name.store == store { remove(name) }
    }

    /// Forgets all names.
    mutating func removeAll() { self = ReservedNames() }
}

extension ManagedObjectContext {
    /// The key below 0 that an object was inserted with: of two objects, the one inserted later has the lower
    /// one.
    func insertionKey(of object: ManagedObject) -> Int64 {
        reserved.key(of: object.reference) ?? object.reference.key
    }

    /// Whether one new object was inserted before another.
    func isInsertedBefore(_ one: ManagedObject, _ other: ManagedObject) -> Bool {
        insertionKey(of: one) > insertionKey(of: other)
    }

    /// Whether no store has ever had an object of that name.
    func isNewName(_ reference: ObjectReference) -> Bool {
        reference.isUnsaved || (reserved.key(of: reference) != nil && registry.object(reference) == nil)
    }

    /// Calls an object by a permanent name; one that is not saved goes on to be known by the key that it was
    /// inserted with.
    func rename(_ object: ManagedObject, to name: ObjectReference) {
        if object.isInserted, object.reference.isUnsaved {
            reserved.note(name, insertionKey: object.reference.key)
        }
        registry.rename(object, to: name)
    }
}
