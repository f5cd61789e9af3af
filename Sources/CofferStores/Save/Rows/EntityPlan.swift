internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// What writing needs to know of one entity, computed once: columns, inverses, history slots, compiled
/// statements.
///
/// Confined to the writer that made it.
final class EntityPlan {
    /// The other end of a relationship.
    struct Inverse {
        /// The inverse's index in all entities that have it.
        let property: Int
        /// The entities that have it: the one that declares it, and those that inherit from that.
        let owners: Range<Int>
        /// Whether it is a to-many relationship.
        let isToMany: Bool
        /// Whether the object at the other end must have one.
        let isRequired: Bool
    }

    /// One stored property.
    ///
    /// It is a class, since every column of every save reads it, and a description is expensive to copy.
    final class Property {
        let index: Int
        let name: String
        let stored: SQLProperty
        let attribute: AttributeDescription?
        let relationship: RelationshipDescription?
        let inverse: Inverse?
        /// The entities whose objects may be at the other end; empty for an attribute.
        let destinations: Range<Int>
        /// The column in which the inverse keeps its order, for a to-one relationship.
        let orderColumn: String?
        /// The numbers by which the store knows the entities.
        let numbers: EntityNumbers

        /// Whether the store itself computes it.
        let isDerived: Bool
        /// Whether it is derived, and other machines' saves say what it is.
        let isTimeOfSave: Bool
        /// Whether the model restricts its values, beyond requiring one.
        let hasRule: Bool

        init(
            index: Int, name: String, stored: SQLProperty, attribute: AttributeDescription?,
            relationship: RelationshipDescription?, inverse: Inverse?, destinations: Range<Int>,
            orderColumn: String?, numbers: EntityNumbers
        ) {
            self.index = index
            self.name = name
            self.stored = stored
            self.attribute = attribute
            self.relationship = relationship
            self.inverse = inverse
            self.destinations = destinations
            self.orderColumn = orderColumn
            self.numbers = numbers
            isDerived = attribute?.derivationExpression != nil
            isTimeOfSave = attribute?.isTimeOfSave ?? false
            let rule = attribute?.validation
            hasRule = rule?.minimum != nil || rule?.maximum != nil || rule?.regularExpression != nil
        }

        /// Whether it is a to-many relationship that only the members' rows store, by their owner's key.
        var isKeptByMembers: Bool {
            if case .toMany = stored { inverse == nil } else { false }
        }

        /// The object that a row names by a key and, if there is a column for it, an entity's number; `nil`
        /// for an object that cannot be there, which readers take for null, too.
        func end(_ key: Int64, entityNumber number: Int64) -> LeafKey? {
            guard case .toOne(_, let entityColumn, let destination) = stored else { return nil }
            if entityColumn == nil { return LeafKey(entity: destination, key: key) }
            guard let entity = numbers.index(of: Int(number)), destinations.contains(entity) else {
                return nil
            }
            return LeafKey(entity: entity, key: key)
        }
    }

    let description: EntityDescription
    let entity: SQLEntity
    /// The numbers by which the store knows the entities.
    let numbers: EntityNumbers
    /// The properties by index; `nil` if one is transient.
    let properties: [Property?]
    /// Properties that must have a value.
    let required: [Int]
    /// To-one relationships among objects of one table that may not lead round in a circle.
    let acyclic: [Property]
    let history: HistoryLayout
    /// The to-one relationships without inverse that lead to this entity.
    let looseReferences: [LooseReference]
    /// The columns by which rows name the owners that have them in relationships without inverse.
    let ownerKeys: [OwnerKey]
    /// Whether it stores decimals, whose exact digits are in a table of their own.
    let hasDecimals: Bool
    /// Whether there are attributes that the store itself computes.
    let hasDerived: Bool
    private var inserts: [ColumnStatement] = []
    private var updates: [ColumnStatement] = []
    private var statements: [Use: SQLiteStatement] = [:]
    /// Statements that read some properties of a row: a request may ask for any combination of them.
    private var partialReads: [[Int]: SQLiteStatement] = [:]

    /// Statements that do not depend on the request.
    enum Use: Hashable {
        case leaf
        case taken
        case delete
        case deletionFacts
        case version
        case raise
        case row
        case reference(Int)
        case pair(Int)
        case setEnd(Int)
        case referrers(Int)
        case namers(Int)
        case nullify(Int)
        case addMember(Int)
        case removeMember(Int)
        case removeMembers(Int)
        case owner(Int)
        case lastPlace(Int)
        case count(Int)
        case next(Int)
    }

    /// The place of values that are not in the row; `nil` if no caller asks for them.
    let external: ExternalWriter?

    init(_ entity: SQLEntity, in schema: SQLSchema, external: ExternalWriter? = nil) {
        self.entity = entity
        self.external = external
        numbers = schema.numbers
        let description = schema.model.entities[entity.index]
        self.description = description
        let properties = zip(description.properties, entity.columns).enumerated().map {
            index, pair in pair.1.map { Self.property(pair.0, at: index, storedAs: $0, in: schema) }
        }
        self.properties = properties
        required = properties.compactMap { property in
            guard let property else { return nil }
            if let attribute = property.attribute {
                return attribute.isOptional || property.isDerived ? nil : property.index
            }
            guard let relationship = property.relationship, !relationship.isToMany else { return nil }
            return relationship.isOptional ? nil : property.index
        }
        let (model, marked) = (schema.model, schema.model.words(of: .acyclic, description))
        acyclic = properties.compactMap { property in
            guard let property, marked.contains(property.name),
                case .toOne(_, _, let destination) = property.stored,
                model.entities[destination].rootIndex == description.rootIndex
            else { return nil }
            return property
        }
        history = HistoryLayout(description, in: schema)
        ownerKeys = OwnerKey.all(of: description, in: schema)
        looseReferences = LooseReference.all(to: description, in: schema)
        hasDerived = properties.contains { $0?.isDerived ?? false }
        hasDecimals = properties.contains { $0?.attribute?.type == .decimal }
    }

    private static func property(
        _ property: PropertyDescription, at index: Int, storedAs stored: SQLProperty, in schema: SQLSchema
    ) -> Property {
        var inverse: Inverse?
        var orderColumn: String?
        if let relationship = property.relationship, let place = relationship.inverseIndex,
            let other = schema.model.inverse(of: relationship), !other.isTransient
        {
            inverse = Inverse(
                property: place, owners: schema.model.entities[other.declaringEntityIndex].familyIndices,
                isToMany: other.isToMany, isRequired: !other.isOptional)
            if case .toMany(_, _, _, let column, _) = schema.entities[relationship.destinationIndex]?.columns[
                place]
            {
                orderColumn = column
            }
        }
        return Property(
            index: index, name: property.name, stored: stored, attribute: property.attribute,
            relationship: property.relationship, inverse: inverse,
            destinations: property.relationship.map { schema.model.destination(of: $0).familyIndices }
                ?? 0..<0,
            orderColumn: orderColumn, numbers: schema.numbers)
    }
}

extension EntityPlan {
    var name: String { description.name }
    var index: Int { entity.index }
    var root: Int { description.rootIndex }

    /// The object of this entity that has a key.
    func object(_ key: Int64) -> LeafKey { LeafKey(entity: entity.index, key: key) }

    /// The row of the tree's table that has a key.
    func row(_ key: Int64) -> RowKey { RowKey(root: root, key: key) }

    /// The plan of a property that can be written.
    ///
    /// - Throws: `unknownProperty` if there is no such property or it is transient, `unsupported` if the
    ///   store cannot keep it.
    func property(_ index: Int) throws(StoreError) -> Property {
        guard properties.indices.contains(index), let property = properties[index] else {
            let name = properties.indices.contains(index) ? description.properties[index].name : "#\(index)"
            throw .unknownProperty(entity: self.name, property: name)
        }
        if case .unsupported(let reason) = property.stored {
            throw .unsupported(entity: name, property: property.name, detail: reason)
        }
        return property
    }

    /// The end that this entity has of a relationship; `nil` if it has none: rows and requests may name any
    /// object.
    func end(_ inverse: Inverse) -> Property? {
        inverse.owners.contains(index) ? properties[inverse.property] : nil
    }

    /// The statement for `use`, compiled the first time.
    func statement(
        _ use: Use, on connection: SQLiteConnection, _ sql: () -> String
    ) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[use] {
            statement.reset()
            return statement
        }
        let statement = try connection.prepare(sql())
        statements[use] = statement
        return statement
    }

    /// The statement that reads some properties of a row.
    func partialRead(
        of properties: [Int], on connection: SQLiteConnection, _ sql: () -> String
    ) throws(SQLiteError) -> SQLiteStatement {
        if let statement = partialReads[properties] {
            statement.reset()
            return statement
        }
        let statement = try connection.prepare(sql())
        if partialReads.count >= Limits.statementsPerEntity { partialReads.removeAll() }
        partialReads[properties] = statement
        return statement
    }

    /// The statement that inserts rows with the columns' properties.
    func insert(_ columns: [Column], on connection: SQLiteConnection) throws(SQLiteError) -> ColumnStatement {
        try Self.find(columns, in: &inserts) { properties throws(SQLiteError) in
            try ColumnStatement(inserting: properties, of: self, on: connection)
        }
    }

    /// The statement that updates the columns' properties of a row.
    func update(_ columns: [Column], on connection: SQLiteConnection) throws(SQLiteError) -> ColumnStatement {
        try Self.find(columns, in: &updates) { properties throws(SQLiteError) in
            try ColumnStatement(updating: properties, of: self, on: connection)
        }
    }

    /// The statement for the columns' properties among those that are `kept`, compiled the first time.
    private static func find(
        _ columns: [Column], in kept: inout [ColumnStatement],
        compile: (_ properties: [Int]) throws(SQLiteError) -> ColumnStatement
    ) throws(SQLiteError) -> ColumnStatement {
        for known in kept where known.fits(columns) { return known }
        let statement = try compile(columns.map(\.property))
        if kept.count >= Limits.statementsPerEntity { kept.removeAll() }
        kept.append(statement)
        return statement
    }
}
