import CofferMerge
import CofferModel
import MergeReference
import Testing

/// What peers wrote, told register by register, and what everybody sees of it.
struct Story {
    private(set) var state = State()
    /// The graph, kept up to date register by register.
    private var followed = Replica(MergeWorld.model)

    /// The graph, by definition, which the one kept up to date equals.
    var graph: SeenGraph {
        let defined = MergeReference(state, model: MergeWorld.model).graph()
        #expect(followed.graph.seen == defined)
        return defined
    }

    private mutating func join(_ register: Register) {
        state.join(register)
        followed.join([register])
    }

    /// The records that are seen.
    var seen: Set<RecordID> { Set(graph.objects.values.flatMap(\.records)) }

    /// The object that a record is one of.
    func object(_ record: RecordID) -> SeenObject? {
        graph.objects.values.first { $0.records.contains(record) }
    }

    /// The text that an attribute is seen to hold.
    func text(_ record: RecordID, _ property: String) -> String? {
        guard case .string(let text) = object(record)?.values[property] else { return nil }
        return text
    }

    /// Where a to-one relationship is seen to lead.
    func target(_ record: RecordID, _ property: String) -> RecordID? { object(record)?.references[property] }
}

extension Story {
    private static func stamp(_ time: Int64) -> Stamp { Stamp(time, peer: PeerID(0), fold: 0) }

    private func entity(_ record: RecordID) -> String { MergeWorld.entity(of: Int(record.high)) }

    /// A user inserts a record, or brings it back.
    mutating func insert(_ records: RecordID..., at time: Int64 = 0) {
        for record in records {
            join(.life(record, Stamped(Life(entity(record), .alive), Self.stamp(time))))
        }
    }

    /// A user deletes a record; what cascades and denies is the model's unless told.
    mutating func delete(
        _ record: RecordID, through property: String? = nil, denied: [String]? = nil, at time: Int64
    ) {
        let model = MergeWorld.model.entities[entity(record)]
        let death = Death(
            through: property, cascaded: model?.cascading ?? [], denied: denied ?? model?.denying ?? [])
        join(.life(record, Stamped(Life(entity(record), .dead(death)), Self.stamp(time))))
    }

    /// A baseline forgets what a record held.
    mutating func bury(_ record: RecordID, at time: Int64) {
        let cascaded = MergeWorld.model.entities[entity(record)]?.cascading ?? []
        join(
            .life(record, Stamped(Life(entity(record), .buried(cascaded: cascaded)), Self.stamp(time))))
    }

    /// A user sets an attribute, or the insertion of its record does.
    mutating func set(
        _ record: RecordID, _ property: String, to text: String?, isDefaulted: Bool = false, at time: Int64
    ) {
        let content = text.map { Cell.Content.value(.string($0)) } ?? .null
        join(
            .cell(record, property, Stamped(Cell(content, isDefaulted: isDefaulted), Self.stamp(time))))
    }

    /// A user sets a to-one relationship.
    mutating func link(_ record: RecordID, _ property: String, to other: RecordID?, at time: Int64) {
        let content = other.map(Cell.Content.record) ?? .null
        join(.cell(record, property, Stamped(Cell(content), Self.stamp(time))))
    }

    /// A user joins both ends of a one-to-one.
    mutating func marry(_ one: RecordID, _ other: RecordID, leaving partners: RecordID..., at time: Int64) {
        link(one, "spouse", to: other, at: time)
        link(other, "spouse", to: one, at: time)
        for partner in partners { link(partner, "spouse", to: nil, at: time) }
    }

    /// A user puts a tag on an item, or takes it off.
    mutating func tag(_ item: RecordID, with tag: RecordID, isOn: Bool = true, at time: Int64) {
        let key = PairKey(RelationshipName("Item", "tags"), first: item, second: tag)
        join(.pair(key, Stamped(isOn, Self.stamp(time))))
    }

    /// A user puts an item at a place of a folder.
    mutating func place(_ item: RecordID, in folder: RecordID, at place: UInt8, time: Int64) {
        let key = PlaceKey(RelationshipName("Folder", "items"), owner: folder, member: item)
        join(.place(key, Stamped(Place([place]), Self.stamp(time))))
    }

    /// A user edits an object that two records are seen as.
    mutating func seal(_ one: RecordID, _ other: RecordID, at time: Int64) {
        join(.same(SameKey(one, other), Self.stamp(time)))
    }
}

/// Records by what they are of.
func dept(_ number: Int) -> RecordID { MergeWorld.record(number * 6) }
func folder(_ number: Int) -> RecordID { MergeWorld.record(number * 6 + 1) }
func item(_ number: Int) -> RecordID { MergeWorld.record(number * 6 + 2) }
func person(_ number: Int) -> RecordID { MergeWorld.record(number * 6 + 3) }
func player(_ number: Int) -> RecordID { MergeWorld.record(number * 6 + 4) }
func tag(_ number: Int) -> RecordID { MergeWorld.record(number * 6 + 5) }
