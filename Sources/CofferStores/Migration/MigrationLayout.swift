internal import CofferModel

/// What becomes of the tables of a file as it goes from one model to another.
///
/// A value; it knows the two models and how the file lays them out, and nothing of what is in the file.
struct MigrationLayout: Sendable {
    /// How the file has the model that it keeps.
    let source: SQLSchema
    /// How it is to have the other one: as a new store would.
    let destination: SQLSchema
    let mapping: InferredMapping
    /// Whether the file has exact digits beside its decimals, as ours have.
    let hasDigits: Bool
    /// The entity that objects become, by the number that their rows have; none for those that go.
    let successors: [Int: Int]
    /// The relationships of the destination, each pair once.
    let pairs: [PairMigration]
    /// The destination's tables of entities.
    let tables: [TableMigration]
    /// Tables of the source whose rows are not needed any more once they are copied.
    let emptiedTables: [String]
    /// The source's tables of many-to-many relationships that are not carried on.
    let emptiedJoins: [SQLJoinTable]

    init(
        from source: SQLSchema, to destination: SQLSchema, by mapping: InferredMapping, hasDigits: Bool
    ) {
        self.hasDigits = hasDigits
        self.source = source
        self.destination = destination
        self.mapping = mapping
        var successors: [Int: Int] = [:]
        for entity in mapping.entities {
            guard let origin = entity.origin, let stored = source.entities[origin],
                destination.entities[entity.entity] != nil
            else { continue }
            successors[stored.number] = entity.entity
        }
        self.successors = successors
        let relationships = PairLayout(
            source: source, destination: destination, mapping: mapping, successors: successors)
        pairs = relationships.pairs
        let columns = ColumnRules(
            source: source, destination: destination, mapping: mapping, successors: successors,
            kept: relationships.keptToOnes, ownerKeys: relationships.keptOwnerKeys, hasDigits: hasDigits)
        tables = TableLayout(source, destination, successors: successors, rules: columns).tables
        let kept = Set(tables.filter { $0.way != .copied }.compactMap { $0.origin?.name })
        emptiedTables = source.tables.map(\.name).filter { !kept.contains($0) }
        let carried = Set(relationships.pairs.compactMap { $0.join?.origin.name })
        emptiedJoins = source.joinTables.filter { !carried.contains($0.name) }
    }
}

extension MigrationLayout {
    /// The entity of the source that rows with `number` are of.
    func origin(of number: Int) -> EntityDescription? {
        source.entity(numbered: number).map { source.model.entities[$0.index] }
    }

    /// The mapping of the entity that rows with `number` become.
    func mapping(of number: Int) -> EntityMapping? { successors[number].map { mapping.entities[$0] } }

    /// The numbers of the source's entities whose objects go.
    var removedNumbers: [Int] {
        source.entities.compactMap { $0?.number }.filter { successors[$0] == nil }.sorted()
    }

    /// The number that an entity of the destination has.
    func number(of entity: Int) -> Int { destination.numbers[entity] }

    /// What a mapping model has computed.
    var expressions: [MappedExpression] { mapping.expressions }

    /// Whether any row of a table of entities, or of a relationship, changes or moves.
    var movesRows: Bool {
        tables.contains(where: \.movesRows) || !emptiedTables.isEmpty || !emptiedJoins.isEmpty
            || pairs.contains { $0.isRelinked || $0.join?.isChanged ?? false }
    }
}
