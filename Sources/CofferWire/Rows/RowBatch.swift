/// Rows of one inheritance tree, in columns.
package struct RowBatch: Sendable, Equatable {
    /// How many rows.
    package var rowCount: Int
    /// The entity that the columns' property indices are of.
    package var entity: Int
    /// Leaf entity of each row; empty if all are of `entity`.
    package var entities: [UInt32]
    /// Primary key of each row; empty in dictionaries.
    package var primaryKeys: [Int64]
    /// Z_OPT of each row; empty if not asked for.
    package var versions: [UInt32]
    /// The properties.
    package var columns: [Column]

    /// A batch from its fields; a field that is left out has its default.
    package init(
        rowCount: Int = 0, entity: Int = 0, entities: [UInt32] = [], primaryKeys: [Int64] = [],
        versions: [UInt32] = [], columns: [Column] = []
    ) {
        self.rowCount = rowCount
        self.entity = entity
        self.entities = entities
        self.primaryKeys = primaryKeys
        self.versions = versions
        self.columns = columns
    }

    /// The leaf entity of row `row`.
    package func leafEntity(_ row: Int) -> Int {
        entities.isEmpty ? entity : Int(entities[row])
    }
}
