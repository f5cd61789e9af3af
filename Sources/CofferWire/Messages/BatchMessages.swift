package import CofferModel

/// What a save does to all objects that fit, whichever clients hold them.
package struct BatchMessage: Sendable, Equatable {
    /// What the sender wants to know of the objects; the raw values travel.
    package enum Result: UInt32, Sendable, CaseIterable {
        /// Only whether it succeeded.
        case status = 0
        /// How many they were.
        case count = 1
        /// Which they were.
        case ids = 2
    }

    /// Changes, in order, after everything else.
    package var updates: [BatchUpdateMessage]
    /// Deletes, in order, after the changes.
    package var deletes: [BatchDeleteMessage]
    /// What is answered.
    package var result: Result

    /// Operations in their order; a batch insert has none, and only says by its presence that its objects
    /// belong to no context.
    package init(
        updates: [BatchUpdateMessage] = [], deletes: [BatchDeleteMessage] = [], result: Result = .status
    ) {
        self.updates = updates
        self.deletes = deletes
        self.result = result
    }
}

/// `coffer.v1.Assignment`: what a property becomes.
package struct AssignmentMessage: Sendable, Equatable {
    /// The property's name.
    package var property: String
    /// The property's new value, computed from the object's former values.
    package var expression: QueryExpression

    /// An assignment from its fields.
    package init(property: String, expression: QueryExpression) {
        self.property = property
        self.expression = expression
    }
}

/// `coffer.v1.BatchUpdate`: changes all objects that fit.
package struct BatchUpdateMessage: Sendable, Equatable {
    /// The entity's name.
    package var entity: String
    /// Whether objects of entities that inherit from it are included.
    package var includesSubentities: Bool
    /// What is demanded of them; `nil`: all fit.
    package var predicate: QueryPredicate?
    /// What their properties become.
    package var assignments: [AssignmentMessage]

    /// An update from its fields; a field that is left out has its default.
    package init(
        entity: String, includesSubentities: Bool = true, predicate: QueryPredicate? = nil,
        assignments: [AssignmentMessage]
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.assignments = assignments
    }
}

/// `coffer.v1.BatchDelete`: deletes all objects that fit, and follows the delete rules.
package struct BatchDeleteMessage: Sendable, Equatable {
    /// The entity's name.
    package var entity: String
    /// Whether objects of entities that inherit from it are included.
    package var includesSubentities: Bool
    /// What is demanded of them; `nil`: all fit.
    package var predicate: QueryPredicate?
    /// Only these, if any are named.
    package var primaryKeys: [Int64]

    /// A delete from its fields; a field that is left out has its default.
    package init(
        entity: String, includesSubentities: Bool = true, predicate: QueryPredicate? = nil,
        primaryKeys: [Int64] = []
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.primaryKeys = primaryKeys
    }
}

/// What became of a request's batch operations.
package struct BatchResultMessage: Sendable, Equatable {
    /// Objects that they named.
    package var count: UInt64
    /// Which objects, if that was asked for: kind, entity and keys.
    package var changes: [ChangeGroup]

    /// A result from its fields; a field that is left out has its default.
    package init(count: UInt64 = 0, changes: [ChangeGroup] = []) {
        self.count = count
        self.changes = changes
    }
}
