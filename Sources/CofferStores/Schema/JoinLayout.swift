internal import CofferModel

/// Finds the tables of many-to-many relationships: by rule for a new store, by their columns in a file.
///
/// Source: measured in real stores, see the design page on storage, part 2.5. In a file only the columns are
/// reliable: exactly one table has both, apart from digits at their ends, whatever its name is.
struct JoinLayout {
    private let model: ManagedObjectModel
    private let numbers: EntityNumbers
    /// The file's tables and their columns, by name.
    private let present: [(table: String, columns: [String])]
    /// The column in which an owner's key stands, by the place of its relationship.
    private var ownColumns: [SchemaLayout.Place: String] = [:]
    private var tableNames = UniqueNames()
    private(set) var tables: [SQLJoinTable] = []
    private(set) var properties: [SchemaLayout.Place: SQLProperty] = [:]

    /// One end: a relationship where it is declared, and the column of its owner's key.
    private struct End {
        let place: SchemaLayout.Place
        let relationship: RelationshipDescription
        /// The name of the column before any digits.
        let column: String
    }

    init(
        model: ManagedObjectModel, roots: [Int], numbers: EntityNumbers, present: [String: [String]]
    ) {
        self.model = model
        self.numbers = numbers
        self.present = present.filter { $0.key.hasPrefix("Z_") }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
        for root in roots { _ = tableNames.name("Z" + model.entities[root].name.uppercased()) }
        let entities = roots.flatMap { numbers.sorted(model.entities[$0].familyIndices) }
        let pairs = entities.flatMap { index in
            ends(of: model.entities[index]).compactMap { end in other(of: end).map { (end, $0) } }
        }
        for index in entities {
            // Digits are counted over the relationships of the entity whose keys the columns hold.
            var names = UniqueNames()
            for end in ends(of: model.entities[index]) { ownColumns[end.place] = names.name(end.column) }
        }
        for (end, other) in pairs where self.names(end, before: other) { add(end, other) }
    }

    /// The many-to-many relationships that an entity declares, by name.
    private func ends(of entity: EntityDescription) -> [End] {
        entity.properties.compactMap { property in
            guard property.declaringEntityIndex == entity.index, !property.isTransient,
                let relationship = property.relationship, relationship.isToMany,
                let inverse = model.inverse(of: relationship), inverse.isToMany, !inverse.isTransient
            else { return nil }
            return end(relationship, inverse)
        }
    }

    private func end(_ relationship: RelationshipDescription, _ inverse: RelationshipDescription) -> End {
        let entity = relationship.declaringEntityIndex
        return End(
            place: SchemaLayout.Place(entity: entity, property: relationship.index),
            relationship: relationship, column: "Z_\(numbers[entity])" + inverse.name.uppercased())
    }

    private func other(of end: End) -> End? {
        model.inverse(of: end.relationship).map { self.end($0, end.relationship) }
    }

    /// Whether the first end names the table.
    ///
    /// That is the end whose entity has subentities, or else the one with the lower number. If both ends are
    /// of one entity, for which no rule is known, it is the ordered one.
    private func names(_ end: End, before other: End) -> Bool {
        let (own, its) = (end.place.entity, other.place.entity)
        if own != its {
            let isParent = !model.entities[own].subentityIndices.isEmpty
            let isItsParent = !model.entities[its].subentityIndices.isEmpty
            return isParent != isItsParent ? isParent : (numbers[own], own) < (numbers[its], its)
        }
        if end.relationship.isOrdered != other.relationship.isOrdered { return end.relationship.isOrdered }
        return end.relationship.index <= other.relationship.index
    }

    private mutating func add(_ end: End, _ other: End) {
        let isReflexive = end.place == other.place
        let wanted = [
            isReflexive ? end.column : ownColumns[end.place] ?? end.column,
            isReflexive ? "REFLEXIVE" : ownColumns[other.place] ?? other.column,
        ]
        let name = tableNames.name(
            "Z_\(numbers[end.place.entity])" + end.relationship.name.uppercased())
        let found = table([end.column, isReflexive ? "REFLEXIVE" : other.column], wanted, named: name)
        let (table, first, second) = found ?? (name, wanted[0], wanted[1])
        // A column's order is that of the relationship to the objects that the column holds.
        let firstOrder = other.relationship.isOrdered ? "Z_FOK_" + first.dropFirst(2) : nil
        let secondOrder =
            end.relationship.isOrdered && !isReflexive ? "Z_FOK_" + second.dropFirst(2) : nil
        let joinTable = SQLJoinTable(
            name: table, first: first, second: second,
            orderColumns: [firstOrder, secondOrder].compactMap(\.self))
        tables.append(joinTable)
        if isReflexive {
            properties[end.place] = .manyToMany(
                table: joinTable.identifier, ownColumn: second, otherColumn: first, orderColumn: firstOrder,
                destination: end.relationship.destinationIndex)
            return
        }
        properties[end.place] = .manyToMany(
            table: joinTable.identifier, ownColumn: first, otherColumn: second, orderColumn: secondOrder,
            destination: end.relationship.destinationIndex)
        properties[other.place] = .manyToMany(
            table: joinTable.identifier, ownColumn: second, otherColumn: first, orderColumn: firstOrder,
            destination: other.relationship.destinationIndex)
    }

    /// The table of the file that has two columns, apart from digits at their ends; if several do, the one
    /// with exactly the `wanted` columns, or of the wanted name.
    private func table(
        _ columns: [String], _ wanted: [String], named name: String
    ) -> (table: String, first: String, second: String)? {
        var best: (rank: Int, table: String, first: String, second: String)?
        for (table, present) in present {
            guard let first = Self.column(columns[0], wanted[0], in: present),
                let second = Self.column(columns[1], wanted[1], in: present.filter { $0 != first })
            else { continue }
            let rank = ([first, second] == wanted ? 2 : 0) + (table == name ? 1 : 0)
            if best.map({ $0.rank < rank }) ?? true { best = (rank, table, first, second) }
        }
        return best.map { ($0.table, $0.first, $0.second) }
    }

    private static func column(_ name: String, _ wanted: String, in columns: [String]) -> String? {
        if columns.contains(wanted) { return wanted }
        return columns.first { column in
            column.hasPrefix(name)
                && column.utf8.dropFirst(name.utf8.count).allSatisfy { (0x30...0x39).contains($0) }
        }
    }
}
