internal import CofferModel

/// Finds names for what a model declares, tree by tree, as Core Data does.
///
/// A property is laid out once, where it is declared; all entities that inherit it share its column. Source:
/// measured in real stores, see the design page on storage, parts 2.3 to 2.5.
struct SchemaLayout {
    private let model: ManagedObjectModel
    private let members: Set<Int>
    private let numbers: EntityNumbers
    /// Columns by place: (declaring entity, property index).
    private var toOnes: [Place: (column: String, entityColumn: String?, orderColumn: String?)] = [:]
    private var attributes: [Place: String] = [:]
    /// Columns for the owner's key in members' rows, by the place of a to-many relationship without inverse.
    private var ownerKeys: [Place: (column: String, orderColumn: String?)] = [:]
    private var joins: [Place: SQLProperty] = [:]
    private(set) var tables: [SQLTable] = []
    private(set) var joinTables: [SQLJoinTable] = []
    private(set) var entities: [SQLEntity?] = []

    struct Place: Hashable {
        var entity: Int
        var property: Int
    }

    /// Lays out the entities `members` of a model.
    ///
    /// If `present` gives the columns of a file's tables by their names, the tables of many-to-many
    /// relationships are those that the file has, whatever they would be called by rule.
    init(
        model: ManagedObjectModel, members: Set<Int>, numbers: EntityNumbers,
        present: [String: [String]] = [:]
    ) {
        self.model = model
        self.members = members
        self.numbers = numbers
        let roots = model.entities.filter { entity in
            entity.superentityIndex == nil && entity.familyIndices.contains(where: members.contains)
        }
        for root in roots { tables.append(layOut(root)) }
        let found = JoinLayout(model: model, roots: roots.map(\.index), numbers: numbers, present: present)
        (joinTables, joins) = (found.tables, found.properties)
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
        case uuid
        case transformable
        case binary
    }

    private mutating func layOut(_ root: EntityDescription) -> SQLTable {
        var names = UniqueNames()
        for fixed in ["Z_PK", "Z_ENT", "Z_OPT"] { _ = names.name(fixed) }
        var columns: [[SQLTable.Column]] = Kind.allCases.map { _ in [] }
        for index in numbers.sorted(root.familyIndices) {
            let own = model.entities[index].properties.filter {
                $0.declaringEntityIndex == index && !$0.isTransient
            }
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
            addOwnerKeys(toMembersOf: index, &names, &columns)
        }
        return SQLTable(
            name: "Z" + root.name.uppercased(), root: root.index,
            hasSeveralEntities: root.familyIndices.count > 1, columns: Array(columns.joined()))
    }

    /// Lays out to-many relationships without inverse that lead to an entity: its rows name their owner.
    ///
    /// The owner's entity need not be stored, since one tree has one key space.
    private mutating func addOwnerKeys(
        toMembersOf index: Int, _ names: inout UniqueNames, _ columns: inout [[SQLTable.Column]]
    ) {
        for relationship in model.ownerKept(by: index, numbers) {
            let owner = relationship.declaringEntityIndex
            guard model.entities[owner].familyIndices.contains(where: members.contains) else { continue }
            let column = names.name("Z\(numbers[owner])" + relationship.name.uppercased())
            columns[Kind.integer.rawValue].append(
                .init(name: column, type: "INTEGER", isReference: true, isOwnerKey: true))
            var orderColumn: String?
            if relationship.isOrdered {
                let name = names.name("Z_FOK_" + column.dropFirst())
                columns[Kind.order.rawValue].append(
                    .init(name: name, type: "INTEGER", isReference: false, isOwnerKey: true))
                orderColumn = name
            }
            ownerKeys[Place(entity: owner, property: relationship.index)] = (column, orderColumn)
        }
    }

    private static func sqlType(_ type: AttributeType) -> (String, Kind) {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: ("INTEGER", .integer)
        case .double, .float: ("FLOAT", .float)
        case .date: ("TIMESTAMP", .float)
        case .decimal: ("DECIMAL", .decimal)
        case .string: ("VARCHAR", .text)
        case .uri: ("VARCHAR", .uuid)
        case .uuid: ("BLOB", .uuid)
        case .transformable: ("BLOB", .transformable)
        case .binary: ("BLOB", .binary)
        }
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
            guard let (column, orderColumn) = ownerKeys[place] else {
                return .unsupported(reason: "no object that may have it is in this configuration")
            }
            return .toMany(
                table: "Z" + destination.rootName.uppercased(), foreignKey: column,
                foreignEntityColumn: nil, orderColumn: orderColumn, destination: destination.index)
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

extension PropertyDescription {
    /// The entity that declares it.
    var declaringEntityIndex: Int {
        switch self {
        case .attribute(let attribute): attribute.declaringEntityIndex
        case .relationship(let relationship): relationship.declaringEntityIndex
        }
    }
}

extension ManagedObjectModel {
    /// The to-many relationships without inverse that lead to exactly this entity, ordered by the number of
    /// the declaring entity and by name.
    func ownerKept(by destination: Int, _ numbers: EntityNumbers) -> [RelationshipDescription] {
        numbers.sorted(entities.indices).flatMap { owner in
            entities[owner].relationships.filter {
                $0.declaringEntityIndex == owner && $0.destinationIndex == destination && $0.isToMany
                    && !$0.isTransient && inverse(of: $0) == nil
            }
        }
    }
}
