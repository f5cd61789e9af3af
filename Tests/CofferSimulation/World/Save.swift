internal import CofferMerge
internal import CofferModel

/// One save in the making: a user's edit and what the store's own rules add.
struct Save {
    private(set) var rows: Rows
    private(set) var changes: [LocalEdit.Change] = []
    /// What was deleted, by name, as it was.
    private(set) var deleted: [RecordID: SeenObject] = [:]
    let model: MergeModel
    /// Whether the store has the second version of the model.
    let isMigrated: Bool

    init(_ rows: Rows, model: MergeModel, isMigrated: Bool = true) {
        self.rows = rows
        self.model = model
        missing = rows.missing(model: model)
        self.isMigrated = isMigrated
    }

    private let missing: Set<Rows.Missing>

    /// Whether the store's model has an attribute.
    func hasAttribute(_ property: String) -> Bool {
        isMigrated || property != SimulatedModel.laterAttribute
    }

    /// Whether a store would refuse it: it takes what lacked something before.
    var isRefused: Bool {
        rows.sharesKeys(model: model) || rows.hasCircles(model: model) || isDenied
            || !rows.missing(model: model).isSubset(of: missing)
    }

    /// What it does, in words.
    var story: String { changes.compactMap(\.label).joined(separator: ", ") }

    /// Whether an object comes and goes in it, of which a context saves nothing.
    var deletesWhatItInserts: Bool {
        changes.contains { if case .insert(let name, _) = $0 { rows.objects[name] == nil } else { false } }
    }

    private var denied: Set<RecordID> = []
    private var isDenied: Bool { denied.contains { rows.objects[$0] != nil } }

    private mutating func make(_ change: LocalEdit.Change) {
        rows.apply(change, model: model)
        changes.append(change)
    }
}

extension Save {
    /// Inserts an object with what was chosen; the rest is null or the default.
    mutating func insert(
        _ name: RecordID, _ entity: String, values: PropertyMap<Cell.Content>,
        references: PropertyMap<RecordID>
    ) {
        guard let described = model.entities[entity] else { return }
        make(.insert(name, entity: entity))
        for (property, attribute) in described.attributes.sorted(by: { $0.key < $1.key })
        where hasAttribute(property) {
            let content = values[property] ?? LongText.content(of: attribute.defaultValue)
            make(.set(name, property, Cell(content, isDefaulted: values[property] == nil)))
        }
        for property in described.references.keys.sorted() {
            if let target = references[property] {
                link(name, property, to: target)
            } else {
                make(.set(name, property, Cell(.null, isDefaulted: true)))
            }
        }
    }

    mutating func set(_ name: RecordID, _ property: String, to content: Cell.Content) {
        make(.set(name, property, Cell(content)))
    }

    /// Sets a to-one relationship, and the other ends of a one-to-one; an object that comes into an order
    /// comes last.
    mutating func link(_ name: RecordID, _ property: String, to target: RecordID?) {
        guard let object = rows.objects[name],
            let relationship = model.entities[object.entity]?.references[property]
        else { return }
        if relationship.isOneToOne, let inverse = relationship.inverse?.property {
            if let former = object.references[property], former != target, former != name {
                make(.set(former, inverse, Cell(.null)))
            }
            if let target, target != name {
                if let former = rows.objects[target]?.references[inverse], former != name, former != target {
                    make(.set(former, property, Cell(.null)))
                }
                make(.set(target, inverse, Cell(.record(name))))
            }
        }
        make(.set(name, property, Cell(target.map { .record($0) } ?? .null)))
        guard let target, let inverse = relationship.inverse else { return }
        append(name, to: target, inverse.property)
    }

    /// Puts an object into a relationship of many to many, or takes it out.
    mutating func pair(_ name: RecordID, _ property: String, with other: RecordID, isIn: Bool) {
        guard let entity = rows.objects[name]?.entity,
            let relationship = model.entities[entity]?.pairs[property]
        else { return }
        make(.pair(name, property, other, isIn: isIn))
        guard isIn else { return }
        append(other, to: name, property)
        if let inverse = relationship.inverse, name != other { append(name, to: other, inverse.property) }
    }

    private mutating func append(_ member: RecordID, to owner: RecordID, _ property: String) {
        guard let object = rows.objects[owner],
            model.entities[object.entity]?.relationship(property)?.isOrdered ?? false
        else { return }
        make(.order(owner, property, (object.orders[property] ?? []).filter { $0 != member } + [member]))
    }

    mutating func order(_ owner: RecordID, _ property: String, as members: [RecordID]) {
        make(.order(owner, property, members))
    }

    /// Deletes an object and what its rules take along.
    mutating func delete(_ name: RecordID) {
        var waiting: [(name: RecordID, property: String?)] = [(name, nil)]
        while let (name, property) = waiting.popLast() {
            guard let object = rows.objects[name], let entity = model.entities[object.entity] else {
                continue
            }
            for relationship in entity.relationships {
                let through = relationship.inverse.map(\.property)
                let held: [RecordID]
                if relationship.isPaired {
                    held = (object.members[relationship.name.property] ?? []).sorted()
                } else if relationship.isToMany, let inverse = relationship.inverse {
                    held = rows.namers(of: name, through: inverse, model: model)
                } else {
                    held = object.references[relationship.name.property].map { [$0] } ?? []
                }
                if relationship.denies { denied.formUnion(held) }
                guard relationship.rule == .cascade else { continue }
                waiting += held.map {
                    ($0, relationship.isPaired || relationship.isInverseToMany ? nil : through)
                }
            }
            deleted[name] = object
            make(.delete(name, through: property))
        }
    }
}
