internal import CofferFormats
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Fills a new database with the graph of a file.
///
/// Nothing of the graph is trusted but its form: entities, properties and types have to be the model's, and
/// the two ends of a relationship must not contradict each other. What the model demands of values is not
/// looked at: what was saved once is read.
struct AtomicLoading {
    private let writer: StoreWriter
    private let content: AtomicStoreContent
    private var path: String { writer.file.path }
    private var model: ManagedObjectModel { writer.file.schema.model }
    private let names: AtomicNames
    /// The objects by entity, as places in the file.
    private var groups: [Int: [Int]] = [:]
    /// Each object by its id.
    private var objects: [String: LeafKey] = [:]
    private var lastKey: Int64
    private let version: UInt32

    init(_ content: AtomicStoreContent, number: UInt64, into writer: StoreWriter) throws(StoreError) {
        self.writer = writer
        self.content = content
        names = AtomicNames(of: writer.file.schema, for: content, path: writer.file.path)
        // No version that a client has read of an object is as high: each save raises it by one at most.
        version = UInt32(clamping: min(number, UInt64(UInt32.max / 2)) + 2)
        lastKey = Int64(clamping: content.lastObjectNumber ?? 0)
        try giveKeys()
    }

    /// Gives each object its key: the number in its id, else one behind all others.
    private mutating func giveKeys() throws(StoreError) {
        var others: [(id: String, entity: Int)] = []
        for (place, object) in content.objects.enumerated() {
            guard let entity = names.entity(object.entity), !model.entities[entity].isAbstract else {
                throw names.misfit(
                    of: object.entity, "the model has no objects of the entity '\(object.entity)'")
            }
            groups[entity, default: []].append(place)
            guard let key = AtomicStoreObject.number(ofID: object.id) else {
                others.append((object.id, entity))
                continue
            }
            lastKey = max(lastKey, key)
            try add(object.id, LeafKey(entity: entity, key: key))
        }
        guard lastKey < .max - Int64(others.count) else {
            throw damaged("its numbers of objects are used up")
        }
        for (id, entity) in others {
            lastKey += 1
            try add(id, LeafKey(entity: entity, key: lastKey))
        }
    }

    private mutating func add(_ id: String, _ object: LeafKey) throws(StoreError) {
        guard objects.updateValue(object, forKey: id) == nil else {
            throw damaged("two objects have the id '\(id)'")
        }
    }

    private func damaged(_ detail: String) -> StoreError { .damaged(path: path, detail: detail) }
}

extension AtomicLoading {
    /// Writes all rows, inside the transaction.
    mutating func run(now: Double) throws(StoreError) {
        writer.triggers?.begin(at: now)
        defer { writer.triggers?.end() }
        let ends = try AtomicEnds(of: content, objects, names: names, writer: writer)
        for (entity, places) in groups.sorted(by: { $0.key < $1.key }) {
            try insert(places, of: try writer.plan(entity), ends)
        }
        try ends.writeMembers()
        try translating { () throws(SQLiteError) in
            let statement = try writer.connection.prepare(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_SUPER = 0 AND Z_ENT < \(FixedTables.changeEntity)"
            )
            try statement.bind(lastKey, at: 1)
            try statement.run()
            try writer.texts?.drain()
            try writer.sortKeys.drain()
        }
    }

    private func insert(_ places: [Int], of plan: EntityPlan, _ ends: AtomicEnds) throws(StoreError) {
        let properties = plan.properties.compactMap(\.self).filter(\.isStoredColumn)
        var columns = properties.map { AtomicValues.column(of: $0) }
        for (row, place) in places.enumerated() {
            let object = content.objects[place]
            let values = try names.values(of: object, plan)
            for (index, property) in properties.enumerated() {
                if let type = property.attribute?.type {
                    let value = values[property.index]
                    guard AtomicValues.append(value, to: &columns[index], row: row, type) else {
                        throw names.misfit(
                            of: plan.name,
                            "'\(plan.name).\(property.name)' of the object '\(object.id)' is not of the type \(type)"
                        )
                    }
                } else if let key = objects[object.id] {
                    AtomicEnds.append(ends.end(of: key, property), to: &columns[index], row: row)
                }
            }
        }
        try write(places, columns, of: plan, ends: ends)
    }

    private func write(
        _ places: [Int], _ columns: [Column], of plan: EntityPlan, ends: AtomicEnds
    ) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let statement = try plan.insert(columns, on: writer.connection)
            try statement.statement.bind(Int64(version), at: 2)
            for (row, place) in places.enumerated() {
                guard let object = objects[content.objects[place].id] else { continue }  // All have one.
                try statement.statement.bind(object.key, at: 1)
                for (index, part) in statement.parts.enumerated() {
                    try statement.bind(columns[index], row: row, to: part, key: object.key)
                    guard let parameter = part.orderParameter else { continue }
                    if let place = ends.place(of: object, part.property) {
                        try statement.statement.bind(place, at: parameter)
                    } else {
                        try statement.statement.bindNull(at: parameter)
                    }
                }
                if try statement.statement.runUnlessForbidden() != nil {
                    throw .corrupt(
                        path: path,
                        message: "two objects of '\(plan.name)' have the same value of what is to be unique")
                }
                for part in statement.decimals {
                    try writer.writeDigits(of: columns[part], row: row, to: object.key, in: plan)
                }
            }
        }
    }
}
