internal import CofferModel

/// Finds names for what a model declares, tree by tree, as Core Data does.
///
/// A property is laid out once, where it is declared; all that inherit it share its column. Source: measured
/// in real stores, see the design page on storage, parts 2.3 to 2.5.
struct SchemaLayout {
    private let model: ManagedObjectModel
    private let members: Set<Int>
    private let numbers: EntityNumbers
    /// Columns by place: (declaring entity, property index).
    private var toOnes: [Place: (column: String, entityColumn: String?, orderColumn: String?)] = [:]
    private var attributes: [Place: String] = [:]
    private var joins: [Place: SQLProperty] = [:]
    private(set) var tables: [SQLTable] = []
    private(set) var joinTables: [SQLJoinTable] = []
    private(set) var entities: [SQLEntity?] = []

    struct Place: Hashable {
        var entity: Int
        var property: Int
    }

    init(model: ManagedObjectModel, members: Set<Int>, numbers: EntityNumbers) {
        self.model = model
        self.members = members
        self.numbers = numbers
        let roots = model.entities.filter { entity in
            entity.superentityIndex == nil && entity.familyIndices.contains(where: members.contains)
        }
        for root in roots { tables.append(layOut(root)) }
        for root in roots { layOutJoins(of: root) }
        entities = model.entities.map { members.contains($0.index) ? entity($0) : nil }
    }
}

extension SchemaLayout {
    /// Columns of one kind stand together.
    private enum Kind: Int, CaseIterable {
        case integer
        case order
        case float
        case decimal
        case text
        case uri
        case blob
    }

    private mutating func layOut(_ root: EntityDescription) -> SQLTable {
        var names = UniqueNames()
        for fixed in ["Z_PK", "Z_ENT", "Z_OPT"] { _ = names.name(fixed) }
        var columns: [[SQLTable.Column]] = Kind.allCases.map { _ in [] }
        for index in root.familyIndices {
            let own = model.entities[index].properties.filter { declares(index, $0) && !$0.isTransient }
            for attribute in own.compactMap(\.attribute) {
                let column = names.name("Z" + attribute.name.uppercased())
                let (type, kind) = Self.sqlType(attribute.type)
                attributes[Place(entity: index, property: attribute.index)] = SQLName.quoted(column)
                columns[kind.rawValue].append(.init(name: column, type: type, isReference: false))
            }
            for relationship in own.compactMap(\.relationship) where !relationship.isToMany {
                let column = names.name("Z" + relationship.name.uppercased())
                columns[Kind.integer.rawValue].append(
                    .init(name: column, type: "INTEGER", isReference: true))
                let destination = model.destination(of: relationship)
                let tail = column.dropFirst()
                var entityColumn: String?
                if !destination.subentityIndices.isEmpty {
                    let name = names.name("Z\(numbers[destination.index])_" + tail)
                    columns[Kind.integer.rawValue].append(
                        .init(name: name, type: "INTEGER", isReference: false))
                    entityColumn = name
                }
                var orderColumn: String?
                if let inverse = model.inverse(of: relationship), inverse.isToMany, inverse.isOrdered {
                    let name = names.name("Z_FOK_" + tail)
                    columns[Kind.order.rawValue].append(
                        .init(name: name, type: "INTEGER", isReference: false))
                    orderColumn = name
                }
                toOnes[Place(entity: index, property: relationship.index)] =
                    (column: column, entityColumn: entityColumn, orderColumn: orderColumn)
            }
        }
        return SQLTable(
            name: "Z" + root.name.uppercased(), root: root.index,
            hasSeveralEntities: root.familyIndices.count > 1, columns: Array(columns.joined()))
    }

    private func declares(_ entity: Int, _ property: PropertyDescription) -> Bool {
        switch property {
        case .attribute(let attribute): attribute.declaringEntityIndex == entity
        case .relationship(let relationship): relationship.declaringEntityIndex == entity
        }
    }

    private static func sqlType(_ type: AttributeType) -> (String, Kind) {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: ("INTEGER", .integer)
        case .double, .float: ("FLOAT", .float)
        case .date: ("TIMESTAMP", .float)
        case .decimal: ("DECIMAL", .decimal)
        case .string: ("VARCHAR", .text)
        case .uri: ("VARCHAR", .uri)
        case .binary, .uuid, .transformable: ("BLOB", .blob)
        }
    }
}

extension SchemaLayout {
    private mutating func layOutJoins(of root: EntityDescription) {
        var tableNames = UniqueNames()
        for table in tables { _ = tableNames.name(table.name) }
        for table in joinTables { _ = tableNames.name(table.name) }
        for index in root.familyIndices {
            for property in model.entities[index].properties where declares(index, property) {
                guard let relationship = property.relationship, relationship.isToMany,
                    !property.isTransient, let inverse = model.inverse(of: relationship), inverse.isToMany,
                    names(relationship, before: inverse)
                else { continue }
                let own = Place(entity: index, property: relationship.index)
                let other = Place(entity: inverse.declaringEntityIndex, property: inverse.index)
                let table = tableNames.name("Z_\(numbers[index])" + relationship.name.uppercased())
                if own == other {
                    addReflexive(relationship, at: own, table: table)
                } else {
                    addJoin(relationship, at: own, inverse, at: other, table: table)
                }
            }
        }
    }

    /// Whether the first one names the table: the side with the lower number; where both are of one entity
    /// the ordered one.
    private func names(_ relationship: RelationshipDescription, before inverse: RelationshipDescription)
        -> Bool
    {
        let (own, other) = (relationship.declaringEntityIndex, inverse.declaringEntityIndex)
        if own != other { return own < other }
        if relationship.isOrdered != inverse.isOrdered { return relationship.isOrdered }
        return relationship.index <= inverse.index
    }

    private mutating func addReflexive(
        _ relationship: RelationshipDescription, at place: Place, table: String
    ) {
        let column = "Z_\(numbers[place.entity])" + relationship.name.uppercased()
        let order = relationship.isOrdered ? "Z_FOK_" + column.dropFirst(2) : nil
        joinTables.append(
            SQLJoinTable(
                name: table, first: column, second: "REFLEXIVE", orderColumns: order.map { [$0] } ?? []))
        joins[place] = .manyToMany(
            table: table, ownColumn: "REFLEXIVE", otherColumn: column, orderColumn: order,
            destination: relationship.destinationIndex)
    }

    private mutating func addJoin(
        _ relationship: RelationshipDescription, at own: Place, _ inverse: RelationshipDescription,
        at other: Place, table: String
    ) {
        var taken = UniqueNames()
        for table in joinTables {
            _ = taken.name(table.first)
            _ = taken.name(table.second)
        }
        // A column is named after the relationship whose objects it holds, and that relationship's
        // destination.
        let first = taken.name("Z_\(numbers[own.entity])" + inverse.name.uppercased())
        let second = taken.name("Z_\(numbers[other.entity])" + relationship.name.uppercased())
        let firstOrder = inverse.isOrdered ? "Z_FOK_" + first.dropFirst(2) : nil
        let secondOrder = relationship.isOrdered ? "Z_FOK_" + second.dropFirst(2) : nil
        joinTables.append(
            SQLJoinTable(
                name: table, first: first, second: second,
                orderColumns: [firstOrder, secondOrder].compactMap(\.self)))
        joins[own] = .manyToMany(
            table: table, ownColumn: first, otherColumn: second, orderColumn: secondOrder,
            destination: relationship.destinationIndex)
        joins[other] = .manyToMany(
            table: table, ownColumn: second, otherColumn: first, orderColumn: firstOrder,
            destination: inverse.destinationIndex)
    }
}

extension SchemaLayout {
    private func entity(_ entity: EntityDescription) -> SQLEntity {
        let root = model.entities[entity.rootIndex]
        return SQLEntity(
            index: entity.index, number: numbers[entity.index], table: "Z" + root.name.uppercased(),
            tableHasSeveralEntities: root.familyIndices.count > 1,
            familyNumbers: numbers.known(of: entity.familyIndices), columns: entity.properties.map(stored))
    }

    private func stored(_ property: PropertyDescription) -> SQLProperty? {
        if property.isTransient { return nil }
        switch property {
        case .attribute(let attribute):
            let place = Place(entity: attribute.declaringEntityIndex, property: attribute.index)
            return attributes[place].map { .attribute(column: $0, type: attribute.type) }
        case .relationship(let relationship):
            return stored(relationship)
        }
    }

    private func stored(_ relationship: RelationshipDescription) -> SQLProperty? {
        let destination = model.destination(of: relationship)
        guard destination.familyIndices.contains(where: members.contains) else {
            return .unsupported(reason: "its destination \(destination.name) is in another configuration")
        }
        let place = Place(entity: relationship.declaringEntityIndex, property: relationship.index)
        if let (column, entityColumn, _) = toOnes[place] {
            return .toOne(column: column, entityColumn: entityColumn, destination: destination.index)
        }
        if let join = joins[place] { return join }
        guard let inverse = model.inverse(of: relationship) else {
            return .unsupported(reason: "a to-many relationship without an inverse has no place in a store")
        }
        let back = Place(entity: inverse.declaringEntityIndex, property: inverse.index)
        guard let (column, entityColumn, orderColumn) = toOnes[back] else {
            return .unsupported(reason: "its inverse is not stored")
        }
        return .toMany(
            table: "Z" + destination.rootName.uppercased(), foreignKey: column,
            foreignEntityColumn: entityColumn, orderColumn: relationship.isOrdered ? orderColumn : nil,
            destination: destination.index)
    }
}
