/// A relationship by the entity that declares it and its own name.
package struct RelationshipName: Sendable, Hashable {
    /// The entity that declares it.
    package let entity: String
    /// Its name there.
    package let property: String

    /// A property that an entity declares.
    package init(_ entity: String, _ property: String) {
        self.entity = entity
        self.property = property
    }
}

extension RelationshipName: Comparable {
    package static func < (left: RelationshipName, right: RelationshipName) -> Bool {
        (left.entity, left.property) < (right.entity, right.property)
    }
}

/// Two records that a relationship of many to many may hold together.
///
/// The relationship is named by its smaller end, whose record stands first; if the relationship is its
/// own inverse, the smaller record stands first.
package struct PairKey: Sendable, Hashable {
    /// The smaller end.
    package let relationship: RelationshipName
    /// The record of that end.
    package let first: RecordID
    /// The other record.
    package let second: RecordID

    /// A pair, as its relationship's `MergeRelationship.pair(_:_:)` names it.
    package init(_ relationship: RelationshipName, first: RecordID, second: RecordID) {
        self.relationship = relationship
        self.first = first
        self.second = second
    }
}

/// A member of an ordered relationship of an owner.
package struct PlaceKey: Sendable, Hashable {
    /// The ordered relationship.
    package let relationship: RelationshipName
    /// Whose it is.
    package let owner: RecordID
    /// The record that has a place there.
    package let member: RecordID

    /// The place of a member in an owner's relationship.
    package init(_ relationship: RelationshipName, owner: RecordID, member: RecordID) {
        self.relationship = relationship
        self.owner = owner
        self.member = member
    }
}

/// Two records that are one for ever, the smaller one first.
package struct SameKey: Sendable, Hashable {
    /// The smaller record.
    package let first: RecordID
    /// The greater record.
    package let second: RecordID

    /// Both records, in whichever order.
    package init(_ one: RecordID, _ other: RecordID) {
        first = min(one, other)
        second = max(one, other)
    }
}

/// What a register is of.
package enum RegisterKey: Sendable, Hashable {
    /// Whether a record was deleted.
    case life(RecordID)
    /// A property of a record, by name.
    case cell(RecordID, String)
    /// Whether a relationship of many to many holds two records.
    case pair(PairKey)
    /// Where a member of an ordered relationship stands.
    case place(PlaceKey)
    /// That two records are one.
    case same(SameKey)

    /// The record with which its register is kept, and in whose part of a baseline it stands.
    package var home: RecordID {
        switch self {
        case .life(let record), .cell(let record, _): record
        case .pair(let key): key.first
        case .place(let key): key.owner
        case .same(let key): key.first
        }
    }
}

/// One replicated value, with its key and its stamp.
package enum Register: Sendable, Hashable {
    /// Whether a record was deleted.
    case life(RecordID, Stamped<Life>)
    /// A property of a record, by name.
    case cell(RecordID, String, Stamped<Cell>)
    /// Whether a relationship of many to many holds two records.
    case pair(PairKey, Stamped<Bool>)
    /// Where a member of an ordered relationship stands.
    case place(PlaceKey, Stamped<Place>)
    /// That two records are one.
    case same(SameKey, Stamp)

    /// What it is of.
    package var key: RegisterKey {
        switch self {
        case .life(let record, _): .life(record)
        case .cell(let record, let property, _): .cell(record, property)
        case .pair(let key, _): .pair(key)
        case .place(let key, _): .place(key)
        case .same(let key, _): .same(key)
        }
    }

    /// The record with which it is kept.
    package var home: RecordID { key.home }

    /// When it was written.
    package var stamp: Stamp {
        switch self {
        case .life(_, let life): life.stamp
        case .cell(_, _, let cell): cell.stamp
        case .pair(_, let pair): pair.stamp
        case .place(_, let place): place.stamp
        case .same(_, let stamp): stamp
        }
    }
}
