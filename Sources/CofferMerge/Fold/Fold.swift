internal import CofferModel

/// A fold in the making: what saves did becomes registers, and these are added to until seeing them shows
/// what the author saw.
struct Fold {
    var replica: Replica
    let author: FoldAuthor
    var view = AuthorView()
    /// The objects of which a cell was written.
    var edited: Set<RecordID> = []
    /// The registers written so far.
    var written: Set<RegisterKey> = []
    /// Of their keys what stood there before.
    var former: [RegisterKey: Register] = [:]
    /// Those that were not seen yet.
    var unseen: Set<RegisterKey> = []
    /// The time of the save that is written.
    var time: Int64 = 0
    /// Whether every stamp is above what it overwrites.
    var hasRoom = true
    /// How many runs got places.
    var runs: UInt32 = 0
    /// Records that live and that the author does not see.
    var rising: Set<RecordID> = []
    /// Objects that others' keys no longer hide, or whose own keys are free now.
    var risen: Set<RecordID> = []

    init(_ replica: consuming Replica, by author: FoldAuthor) {
        self.replica = replica
        self.author = author
    }

    /// What was seen last: what was written since shows at the next look.
    var graph: Graph { replica.graph.asSeenLast }
    var registers: RegisterView { replica.registers }
    var model: MergeModel { replica.model }

    func omits(_ rule: OmittedRules) -> Bool { model.omitted.contains(rule) }

    /// The records that make up an object as the author sees it.
    func records(of name: RecordID) -> Set<RecordID> {
        view.row(name, in: graph)?.records ?? [name]
    }

    func entity(of name: RecordID) -> MergeEntity? {
        let row = view.row(name, in: graph)?.entity ?? registers.life(of: name)?.value.entity
        return row.flatMap { model.entities[$0] }
    }
}

extension Fold {
    /// Writes one save.
    mutating func take(_ edit: LocalEdit) {
        time = edit.time
        let links = Links(edit, in: self)
        for change in edit.changes {
            switch change {
            case .insert(let name, let entity): insert(name, entity)
            case .set(let name, let property, let cell):
                if links.joins(name, property) {
                    show(cell, at: name, property)
                } else {
                    set(name, property, to: cell)
                }
            case .delete(let name, let property): delete(name, through: property)
            case .pair(let name, let property, let other, let isIn):
                pair(name, property, with: other, isIn: isIn)
            case .order(let name, let property, let members): order(name, property, as: members)
            }
        }
        for link in links.groups { write(link) }
        look()
    }

    /// Sees what was written, and keeps what the author saw of it.
    mutating func look() {
        if unseen.isEmpty { return }
        let change = replica.see(unseen)
        unseen = []
        view.keep(change, in: replica.graph)
    }

    private mutating func insert(_ name: RecordID, _ entity: String) {
        guard let described = model.entities[entity] else { return }
        put(.life(name)) { .life(name, Stamped(Life(entity, .alive), $0)) }
        var row = SeenObject(name, entity: entity, records: graph.sealed(with: name).union([name]))
        for (property, attribute) in described.attributes { row.values[property] = attribute.defaultValue }
        view.insert(row)
        edited.insert(name)
    }

    private mutating func delete(_ name: RecordID, through property: String?) {
        guard let row = view.row(name, in: graph), let entity = model.entities[row.entity] else { return }
        let death = Death(through: property, cascaded: entity.cascading, denied: entity.denying)
        bury(row.records, death)
        view.delete(row)
        edited.remove(name)
    }

    /// A death overwrites lives and cells of all that the object is made of.
    mutating func bury(_ records: Set<RecordID>, _ death: Death) {
        var over = records.map(RegisterKey.life)
        for record in records { over += registers.cells(of: record).keys.map { .cell(record, $0) } }
        for record in records.sorted() {
            guard let entity = registers.life(of: record)?.value.entity else { continue }
            put(.life(record), over: over) { .life(record, Stamped(Life(entity, .dead(death)), $0)) }
        }
    }

    private mutating func set(_ name: RecordID, _ property: String, to cell: Cell) {
        show(cell, at: name, property)
        write(cell, at: name, property)
    }

    /// Makes the author see a cell.
    private mutating func show(_ cell: Cell, at name: RecordID, _ property: String) {
        edited.insert(name)
        view.change(name, in: graph) { row in
            switch cell.content {
            case .record(let target): row.references[property] = target
            case .value(let value):
                row.values[property] = value
                row.largeValues[property] = nil
            case .large(let value):
                row.values[property] = .null
                row.largeValues[property] = value
            case .null:
                if row.values[property] != nil { row.values[property] = .null }
                row.largeValues[property] = nil
                row.references[property] = nil
            }
        }
    }

    private mutating func pair(_ name: RecordID, _ property: String, with other: RecordID, isIn: Bool) {
        guard let relationship = entity(of: name)?.pairs[property] else { return }
        write(relationship, of: name, with: other, isIn: isIn)
        let inverse = relationship.inverse?.property
        for (owner, property, member) in [(name, property, other), (other, inverse, name)] {
            guard let property else { continue }
            view.changeMembers(of: owner, in: graph) { row in
                var members = row.members[property] ?? []
                if isIn { members.insert(member) } else { members.remove(member) }
                row.members[property] = members.isEmpty ? nil : members
            }
        }
    }

    private mutating func order(_ name: RecordID, _ property: String, as members: [RecordID]) {
        view.changeMembers(of: name, in: graph) { $0.orders[property] = members.isEmpty ? nil : members }
        place(members, in: property, of: name)
    }
}
