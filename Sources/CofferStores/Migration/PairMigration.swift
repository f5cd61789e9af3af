internal import CofferModel

/// What becomes of one relationship and its inverse.
struct PairMigration: Sendable {
    /// One end: the to-one one, if there is one.
    let owner: RelationshipDescription
    /// How the owner's end is stored.
    let form: SQLProperty
    /// The other end, and how it is stored.
    let other: (relationship: RelationshipDescription, form: SQLProperty)?
    /// The table of before that it goes on having.
    let join: JoinMigration?
    /// Where its links come from, if they have to be written again.
    let sources: [LinkSource]

    /// Whether its links are written again.
    var isRelinked: Bool { !sources.isEmpty }

    /// Whether a relationship is one of its ends.
    func has(_ relationship: RelationshipDescription) -> Bool {
        [owner, other?.relationship].contains { end in
            end?.index == relationship.index
                && end?.declaringEntityIndex == relationship.declaringEntityIndex
        }
    }

    /// Whether it is its own inverse.
    var isReflexive: Bool {
        other.map {
            $0.relationship.index == owner.index
                && $0.relationship.declaringEntityIndex == owner.declaringEntityIndex
        } ?? false
    }

    /// Whether the store has a place for it.
    var isStored: Bool { if case .unsupported = form { false } else { true } }
}

/// The columns of a to-many relationship without inverse that stays one.
struct KeptOwnerKey: Sendable {
    /// The entities whose rows have them, by index in the destination.
    let members: Range<Int>
    /// The column of the owner's key.
    let key: (old: String, new: String)
    /// The column of the order, if there is one.
    let order: (old: String, new: String)?
}

/// The table of a many-to-many relationship that stays one.
struct JoinMigration: Sendable {
    /// An end whose objects may be there no more.
    struct Filter: Sendable {
        /// The column of their keys, by its new name.
        let column: String
        /// Their table.
        let table: String
        /// The numbers of those that may be.
        let numbers: [Int]
    }

    let origin: SQLJoinTable
    let table: SQLJoinTable
    /// Its columns before and now.
    let columns: [(old: String, new: String)]
    let filters: [Filter]

    var renamedColumns: [(old: String, new: String)] { columns.filter { $0.old != $0.new } }

    /// Whether its names are others.
    var isRenamed: Bool { origin.name != table.name || !renamedColumns.isEmpty }

    /// Whether anything of it is.
    var isChanged: Bool { isRenamed || !filters.isEmpty }
}

/// A relationship of the source that links come from.
struct LinkSource: Sendable {
    /// The relationship, in the source.
    let relationship: RelationshipDescription
    /// The numbers of the objects that have it.
    let numbers: [Int]
    /// The numbers of those that may be at its end.
    let ends: [Int]
    /// Whether it is the owner's inverse that it was.
    let isReversed: Bool
}

extension LinkSource {
    /// SQL of links, as they are before: the keys of the owner and of the other object, and where each has
    /// its place with the other.
    func sql(in schema: SQLSchema) -> String? {
        guard let form = schema.stored(relationship), !numbers.isEmpty, !ends.isEmpty,
            let owners = schema.table(of: relationship.declaringEntityIndex),
            let targets = schema.table(of: relationship.destinationIndex)
        else { return nil }
        let inverse = schema.model.inverse(of: relationship).flatMap { schema.stored($0) }
        let (from, to, rows, place, inversePlace): (String, String, String, String?, String?)
        switch form {
        case .toOne(let column, _, _):
            (from, to, rows) = ("r.Z_PK", "r.\(column)", owners)
            (place, inversePlace) = (nil, schema.orderColumn(of: relationship))
        case .toMany(let table, let key, _, let order, _):
            (from, to, rows, place, inversePlace) = ("r.\(key)", "r.Z_PK", table, order, nil)
        case .manyToMany(let table, let own, let end, let order, _):
            (from, to, rows, place) = ("r.\(own)", "r.\(end)", table, order)
            if case .manyToMany(_, _, _, let order, _)? = inverse {
                inversePlace = order
            } else {
                inversePlace = nil
            }
        case .attribute, .unsupported: return nil
        }
        func value(_ place: String?) -> String { place.map { "IFNULL(r.\($0), \(Self.last))" } ?? Self.last }
        let columns =
            isReversed
            ? [to, from, value(inversePlace), value(place)] : [from, to, value(place), value(inversePlace)]
        return "SELECT \(columns.joined(separator: ", ")) FROM main.\(rows) r "
            + "JOIN main.\(owners) f ON f.Z_PK = \(from) AND f.Z_ENT IN (\(SQLName.list(numbers))) "
            + "JOIN main.\(targets) t ON t.Z_PK = \(to) AND t.Z_ENT IN (\(SQLName.list(ends)))"
    }

    /// Behind all that have a place.
    private static let last = "9223372036854775807"
}

extension SQLSchema {
    /// How a relationship is stored; `nil` if no entity in the configuration has it.
    func stored(_ relationship: RelationshipDescription) -> SQLProperty? {
        model.entities[relationship.declaringEntityIndex].familyIndices.compactMap { entities[$0] }.first?
            .columns[relationship.index]
    }

    /// The table of an entity's tree; `nil` if none of its objects are in the configuration.
    func table(of entity: Int) -> String? {
        model.entities[entity].familyIndices.compactMap { entities[$0] }.first?.table
    }

    /// The numbers of an entity and of all that inherit from it.
    func familyNumbers(of entity: Int) -> [Int] {
        model.entities[entity].familyIndices.compactMap { entities[$0]?.number }
    }
}
