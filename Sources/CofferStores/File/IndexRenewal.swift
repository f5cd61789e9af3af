internal import CofferModel
internal import CofferSQLite

/// Brings the indexes of a file, which is opened with another model than it keeps, in step with that model.
///
/// Version hashes do not cover indexes, so that such a file is not migrated. Indexes that both models have
/// stay, and so does every index that neither of them has.
struct IndexRenewal {
    /// The names of the indexes that go.
    private let removedNames: [String]
    /// Makes the indexes that come.
    private let additions: [String]
    private let removedTrees: [IndexTree]
    private var addedTrees: [(tree: IndexTree, table: String)]

    /// What differs between how a file has the model that it keeps and the other one; an index of an unknown
    /// form is left out, as it is if the file has it.
    init(from former: SQLSchema, to schema: SQLSchema) {
        let (old, new) = (former.indexStatements, schema.indexStatements)
        let (oldTexts, newTexts) = (Set(old), Set(new))
        removedNames = old.filter { !newTexts.contains($0) }.map(SQLName.ofIndex)
        additions = new.filter { !oldTexts.contains($0) }
        let (oldTrees, newTrees) = (former.trees, schema.trees)
        let oldForms = Set(oldTrees.map { $0.tree.form(on: $0.table) })
        let newForms = Set(newTrees.map { $0.tree.form(on: $0.table) })
        removedTrees = oldTrees.filter { !newForms.contains($0.tree.form(on: $0.table)) }.map(\.tree)
        addedTrees = newTrees.filter { !oldForms.contains($0.tree.form(on: $0.table)) }
    }

    /// Whether nothing differs.
    var isIdle: Bool {
        removedNames.isEmpty && additions.isEmpty && removedTrees.isEmpty && addedTrees.isEmpty
    }

    /// Makes no r-trees: their triggers run only in a file without ones that are not known.
    mutating func leaveTreesOut() { addedTrees = [] }

    /// Removes and makes indexes, inside a transaction.
    ///
    /// - Complexity: O(rows) for each index that comes.
    func run(on connection: SQLiteConnection) throws(SQLiteError) {
        for name in removedNames {
            try connection.execute("DROP INDEX IF EXISTS main.\(SQLName.quoted(name))")
        }
        for statement in removedTrees.flatMap(\.removal) { try connection.execute(statement) }
        let present = try names(on: connection)
        for statement in additions
        where !present.contains(SQLName.ofIndex(statement).uppercased()) {
            try connection.execute(statement)
        }
        for (tree, table) in addedTrees where !present.contains(tree.name.uppercased()) {
            for statement in tree.statements(on: table, filling: true) { try connection.execute(statement) }
        }
    }

    /// The names that the file has, in upper case: SQLite knows no case in them.
    private func names(on connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        let statement = try connection.prepare("SELECT name FROM main.sqlite_master")
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0).uppercased()) }
        return names
    }
}

extension StoreOpening {
    /// How the indexes of a file differ from those of `schema`, whose model is to be the one that it keeps;
    /// `nil` if they do not, if the file keeps no model that tells, or if its client only reads.
    func indexRenewal(
        of facts: StoreFacts, to schema: SQLSchema, _ model: StoreModel, on connection: SQLiteConnection
    ) throws(StoreError) -> IndexRenewal? {
        if options.isReadOnly || options.keepsIndexes || isCreated { return nil }
        let trust = facts.schema.trust(of: schema)
        // Such a file is only read.
        if case .unknown = trust { return nil }
        let former: SQLSchema
        do throws(StoreError) {
            if facts.tables.contains("COFFER_STATE") {
                let isKept = try translating { () throws(SQLiteError) in
                    try StoreCreation.keeps(model, on: connection)
                }
                if isKept { return nil }
            }
            let kept = try keptModel(on: connection, tables: facts.tables)
            if kept.id == model.id { return nil }
            former = try SQLSchema(
                model: kept.model, configuration: configuration,
                numbers: numbers(of: kept.model, on: connection), present: columnsOfJoins(on: connection))
        } catch {
            switch error {
            // A model that has no form here tells nothing, and the file is as sound without that.
            case .unknownModel, .damaged, .unfitModel, .unsupported, .unknownConfiguration: return nil
            default: throw error
            }
        }
        var renewal = IndexRenewal(from: former, to: schema)
        if trust != .known { renewal.leaveTreesOut() }
        return renewal.isIdle ? nil : renewal
    }
}
