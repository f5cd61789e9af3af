/// Of which entity a record is, and whether it was deleted.
package struct Life: Sendable, Hashable {
    /// The entity's name.
    package let entity: String
    /// Whether the record was deleted, and how.
    package let condition: Condition

    /// What was last done to a record's life.
    package enum Condition: Sendable, Hashable {
        /// It was inserted or brought back.
        case alive
        /// It was deleted.
        case dead(Death)
        /// It was deleted so long ago that its values are forgotten.
        ///
        /// Only the relationships that cascaded are kept; above every stamp.
        case buried(cascaded: [String])
    }

    /// A life of a record of an entity.
    package init(_ entity: String, _ condition: Condition) {
        self.entity = entity
        self.condition = condition
    }

    /// Whether its values are forgotten.
    package var isBuried: Bool { if case .buried = condition { true } else { false } }

    /// The relationships through which its death cascaded, as it was then; `nil` if it was not deleted.
    package var cascaded: [String]? {
        switch condition {
        case .alive: nil
        case .dead(let death): death.cascaded
        case .buried(let cascaded): cascaded
        }
    }
}

/// How a record was deleted, by the deleter's model.
package struct Death: Sendable, Hashable {
    /// The to-one property through which a cascade took it; `nil` if it was deleted by hand.
    package let through: String?
    /// The relationships that cascaded, by name.
    package let cascaded: [String]
    /// The relationships that would have denied it, by name.
    package let denied: [String]

    /// A death; both lists are sorted here, so that equal deaths are equal.
    package init(through: String? = nil, cascaded: [String] = [], denied: [String] = []) {
        self.through = through
        self.cascaded = cascaded.sorted()
        self.denied = denied.sorted()
    }
}

extension Life: RegisterValue {
    package var rank: Int { isBuried ? 1 : 0 }

    /// Alive is above dead.
    package var orderedBytes: [UInt8] {
        var bytes = OrderedBytes()
        switch condition {
        case .dead(let death):
            bytes.append(0 as UInt8)
            bytes.append(death.through.map { [$0] } ?? [])
            bytes.append(death.cascaded)
            bytes.append(death.denied)
        case .alive: bytes.append(1 as UInt8)
        case .buried(let cascaded):
            bytes.append(2 as UInt8)
            bytes.append(cascaded)
        }
        bytes.append(entity)
        return bytes.bytes
    }
}
