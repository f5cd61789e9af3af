internal import CofferModel
internal import CofferSQLite

/// Fills the tables of a new store with the objects of another, piece by piece.
///
/// Confined. The things that the model asks of the new store and that can be made again (indexes, triggers
/// of derived attributes) are removed first and made at the end. So attributes keep the values that they
/// had, such as the time of an object's last change.
final class CopyRun {
    /// What is told of values that were lost before.
    struct Loss {
        var missingFiles: [String] = []
        var missingCount = 0
        var leftOut: [String] = []
    }

    let source: CopySource
    let target: SQLSchema
    let connection: SQLiteConnection
    let shift: KeyShift
    var loss = Loss()
    let tables: CopyTables
    let values: CopiedValues
    private let progress: (_ copied: Int, _ total: Int) -> Bool
    /// How many objects were copied.
    var objectCount = 0
    private var total = 0
    /// The value that is being copied.
    var bytes: [UInt8] = []

    init(
        _ source: CopySource, to target: SQLSchema, on connection: SQLiteConnection, _ shift: KeyShift,
        values: CopiedValues, progress: @escaping (_ copied: Int, _ total: Int) -> Bool
    ) {
        self.source = source
        self.target = target
        self.connection = connection
        self.shift = shift
        self.values = values
        self.progress = progress
        tables = CopyTables(from: source.file.schema, to: target)
        loss.leftOut = tables.leftOut
    }

    /// Copies all objects.
    ///
    /// - Throws: `interrupted` if `progress` says so; `unfitTarget` if relationships lead out of the copy's
    ///   configuration; `damaged` if rows cannot be those of objects.
    func run() throws(StoreError) {
        try checkCrossings()
        for table in tables.tables { total += try source.count(table.name) }
        try tell()
        let kept = try takeAwayWhatCanBeMade()
        for table in tables.tables { try copy(table) }
        for join in tables.joins { try copy(join) }
        try copyDigits()
        try copyKeys()
        try makeAgain(kept)
    }

    func tell() throws(StoreError) {
        guard progress(objectCount, total) else { throw .interrupted }
    }

    /// Throws if objects, or what relates them, have no place in the copy.
    private func checkCrossings() throws(StoreError) {
        let model = source.file.schema.model
        var names: [String] = []
        for entity in source.file.schema.entities.compactMap(\.self)
        where target.entities[entity.index] == nil {
            let sql = "SELECT 1 FROM \(entity.table) WHERE Z_ENT = \(entity.number) LIMIT 1"
            if try source.number(sql) != nil { names.append("'\(model.entities[entity.index].name)'") }
        }
        guard names.isEmpty else {
            throw .unfitTarget(
                path: source.file.path,
                detail:
                    "the configuration '\(target.configuration)' has no place for objects of \(names.joined(separator: ", "))"
            )
        }
        for crossing in tables.crossings where try source.number(crossing.sql) != nil {
            names.append("'\(crossing.name)': \(crossing.reason)")
        }
        guard names.isEmpty else {
            throw .unfitTarget(
                path: source.file.path,
                detail: "relationships would lead from one store to another: \(names.joined(separator: "; "))"
            )
        }
    }
}
