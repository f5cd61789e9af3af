/// What an author sees, as far as it differs from the graph that his registers make meanwhile.
struct AuthorView {
    /// The rows that the author changed, or that the graph shows otherwise; `nil` if there is none.
    private(set) var rows: [RecordID: SeenObject?] = [:]
    /// Those of these rows whose members are not told, since they are as the graph has them.
    private var partial: Set<RecordID> = []
    /// Of which of these rows a record is.
    private var owners: [RecordID: RecordID] = [:]
    /// What others took of keys when the author began.
    private var taken: [RecordID: Set<Violation>] = [:]
    /// Whether records that died or came back were dead when the author began.
    private var wasDead: [RecordID: Bool] = [:]
    /// Whether records that others' keys came to hide, or no longer do, were hidden when the author began.
    private var wasHidden: [RecordID: Bool] = [:]
    /// Of which object deleted records were.
    private(set) var deleted: [RecordID: RecordID] = [:]

    /// Keeps what was seen before a change that the author did not make.
    mutating func keep(_ change: Graph.Change, in graph: Graph) {
        for (name, former) in change.former {
            if rows[name] == nil {
                set(name, to: former)
                if change.lone.contains(name) { partial.insert(name) }
            } else if let former, !change.lone.contains(name) {
                fill(name, from: former)
            }
        }
        for (name, violations) in change.taken where taken[name] == nil { taken[name] = violations }
        for record in change.turned where wasDead[record] == nil {
            wasDead[record] = !graph.isDead(record)
        }
        for record in change.hiddenTurned where wasHidden[record] == nil {
            wasHidden[record] = !graph.isHidden(record)
        }
    }

    /// The row of an object, less what was deleted; `nil` if the author sees none.
    ///
    /// The members of one that is not among `rows` are not told, nor those of a partial one.
    func row(_ name: RecordID, in graph: Graph) -> SeenObject? {
        guard let row = rows[name] ?? graph.object(name, withMembers: false) else { return nil }
        return deleted.isEmpty ? row : row.without { deleted[$0] != nil }
    }

    /// Whether the members of a row are as the graph has them, and not told.
    func isPartial(_ name: RecordID) -> Bool { rows[name] == nil || partial.contains(name) }

    /// Of which object of the author's a record is.
    func owner(of record: RecordID, in graph: Graph) -> RecordID? {
        if deleted[record] != nil { return nil }
        if let name = owners[record] { return name }
        return graph.owner(of: record).flatMap { rows[$0] == nil ? $0 : nil }
    }

    /// Whether a record was dead when the author began.
    func wasDead(_ record: RecordID, in graph: Graph) -> Bool {
        wasDead[record] ?? graph.isDead(record)
    }

    /// Whether another's key took a property of an object when the author began.
    func wasTaken(_ property: String, of name: RecordID) -> Bool {
        takenProperties(of: name).contains(property)
    }

    /// The properties of an object that others' keys took when the author began.
    func takenProperties(of name: RecordID) -> Set<String> {
        (taken[name] ?? []).reduce(into: []) { if $1.kind == .keyTaken { $0.formUnion($1.properties) } }
    }

    /// Whether a record was one of an object that others' keys hid when the author began.
    func wasHidden(_ record: RecordID, in graph: Graph) -> Bool {
        wasHidden[record] ?? graph.isHidden(record)
    }
}

extension AuthorView {
    /// The author changes the attributes or references of a row.
    mutating func change(_ name: RecordID, in graph: Graph, _ body: (inout SeenObject) -> Void) {
        let isPartial = isPartial(name)
        guard var row = row(name, in: graph) else { return }
        body(&row)
        set(name, to: row)
        if isPartial { partial.insert(name) }
    }

    /// The author changes the members of a row.
    mutating func changeMembers(
        of name: RecordID, in graph: Graph, _ body: (inout SeenObject) -> Void
    ) {
        guard let row = row(name, in: graph) else { return }
        if isPartial(name) {
            set(name, to: row)
            partial.insert(name)
            if let seen = graph.object(name) { fill(name, from: seen) }
        }
        guard var whole = self.row(name, in: graph) else { return }
        body(&whole)
        set(name, to: whole)
    }

    /// Gives a partial row the members of what the graph has, or had before it changed.
    private mutating func fill(_ name: RecordID, from object: SeenObject) {
        guard partial.remove(name) != nil, case .some(.some(var row)) = rows[name] else { return }
        (row.members, row.orders) = (object.members, object.orders)
        rows[name] = .some(row)
    }

    private mutating func set(_ name: RecordID, to row: SeenObject?) {
        rows[name] = .some(row)
        for record in row?.records ?? [] { owners[record] = name }
    }

    /// The author inserts a row, or brings one back.
    mutating func insert(_ row: SeenObject) {
        // The rows that led to it before it was deleted no longer lead to it: a delete rule saw to that.
        if row.records.contains(where: { deleted[$0] != nil }) {
            for (name, other) in rows {
                guard let other else { continue }
                rows[name] = .some(other.without { row.records.contains($0) })
            }
        }
        set(row.id, to: row)
        partial.remove(row.id)
        for record in row.records { deleted[record] = nil }
    }

    /// The author deletes a row.
    mutating func delete(_ row: SeenObject) {
        rows[row.id] = .some(nil)
        partial.remove(row.id)
        for record in row.records { deleted[record] = row.id }
    }
}

extension SeenObject {
    /// The object, leading to none of some others.
    fileprivate func without(_ isGone: (RecordID) -> Bool) -> SeenObject {
        var row = self
        row.references = references.filter { !isGone($0.value) }
        row.members = members.compactMapValues { members in
            let left = members.filter { !isGone($0) }
            return left.isEmpty ? nil : left
        }
        row.orders = orders.mapValues { $0.filter { !isGone($0) } }
        return row
    }
}
