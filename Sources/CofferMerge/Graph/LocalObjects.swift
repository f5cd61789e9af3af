/// Some objects of a replica, made one step by step.
///
/// The objects that references in their keys name are looked for among them alone.
final class LocalObjects: ObjectSet {
    let view: RegisterView
    let isPairing = true
    /// The objects by id.
    private(set) var all: [RecordID: SealedObject] = [:]
    /// Of which object a record is.
    private var owners: [RecordID: RecordID] = [:]
    private var cuts: [RecordID: Set<String>] = [:]
    /// The objects that name a record.
    private var namers: [RecordID: Set<RecordID>] = [:]

    init(_ memory: ReplicaMemory) { view = RegisterView(memory: memory, moment: .now) }

    func find(_ record: RecordID) -> FoundObject? {
        owners[record].flatMap { all[$0] }.map { FoundObject(id: $0.id, entity: $0.entity) }
    }

    func namers(of record: RecordID) -> Set<RecordID> { namers[record] ?? [] }

    func records(of id: RecordID) -> RecordGroup { all[id]?.records ?? RecordGroup(id) }
    func cuts(of id: RecordID) -> Set<String> { cuts[id] ?? [] }

    func cut(_ link: Link, _ isCut: Bool) {
        if isCut {
            cuts[link.object, default: []].insert(link.property)
        } else {
            cuts[link.object]?.remove(link.property)
        }
    }

    /// Puts objects of some records in the place of all that had such; `records` holds all of both.
    func replace(_ records: Set<RecordID>, with groups: [RecordGroup]) {
        let former = Set(records.compactMap { owners[$0] })
        var uncertain: Set<Link> = []
        for link in circularLinks(of: former) { uncertain.formUnion(circle(link)) }
        for id in former {
            guard let object = all.removeValue(forKey: id) else { continue }
            for record in object.records { owners[record] = nil }
            for record in object.named { namers[record]?.remove(id) }
            cuts[id] = nil
        }
        var made: Set<RecordID> = []
        for group in groups {
            guard let entity = view.entity(of: group.first) else { continue }
            let object = SealedObject(group, of: entity, in: view)
            all[object.id] = object
            for record in object.records { owners[record] = object.id }
            for record in object.named { namers[record, default: []].insert(object.id) }
            made.insert(object.id)
        }
        uncertain.formUnion(circularLinks(of: made))
        _ = cutCircles(uncertain)
    }
}
