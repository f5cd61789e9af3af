internal import CCofferMessages
package import CofferModel
package import FoundationEssentials

extension ObjectReferenceMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ObjectReference>) {
        unsafe coffer__v1__object_reference__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ObjectReference>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            entity: Int(c.entity), primaryKey: c.primary_key,
            temporaryID: c.temporary_id.optionalUUID("coffer.v1.ObjectReference.temporary_id"))
    }

    func fill(_ c: inout Coffer__V1__ObjectReference, in arena: inout PackArena) {
        unsafe c.entity = UInt32(entity)
        unsafe c.primary_key = primaryKey
        if let temporaryID { unsafe c.temporary_id = arena.uuid(temporaryID) }
    }
}

extension ObjectReferenceMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.ObjectReference" }

    var aboutByteCount: Int { 14 + (temporaryID == nil ? 0 : 18) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: primaryKey = try reader.fixed(field)
            case 3: temporaryID = try reader.optionalUUID(field, "coffer.v1.ObjectReference.temporary_id")
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, fixed: primaryKey)
        if let temporaryID { writer.always(3, uuid: temporaryID) }
    }
}

extension ObjectReferenceMessage {
    /// The reference that names an object.
    package init(_ id: ManagedObjectID) {
        switch id.key {
        case .permanent(let primaryKey): self.init(entity: id.entity.index, primaryKey: primaryKey)
        case .temporary(let uuid): self.init(entity: id.entity.index, temporaryID: uuid)
        }
    }

    /// The id of the object in a store.
    ///
    /// - Throws: `WireError.malformed` if the model has no such entity.
    package func id(in model: ManagedObjectModel, storeUUID: UUID) throws(WireError) -> ManagedObjectID {
        guard model.entities.indices.contains(entity) else {
            throw .malformed("coffer.v1.ObjectReference.entity: \(entity) is not in the model")
        }
        return ManagedObjectID(entity: model.entities[entity], storeUUID: storeUUID, key: key)
    }

    /// An id whose entity has an index and nothing else: a message is read before its store, and so its
    /// model, is known.
    var unresolvedID: ManagedObjectID {
        let entity = EntityDescription(
            definition: EntityDefinition(""), index: entity, superentityIndex: nil, subentityIndices: [],
            rootIndex: entity, rootName: "", familyIndices: entity..<(entity + 1), properties: [])
        return ManagedObjectID(entity: entity, storeUUID: nil, key: key)
    }

    private var key: ManagedObjectID.Key { temporaryID.map { .temporary($0) } ?? .permanent(primaryKey) }
}
