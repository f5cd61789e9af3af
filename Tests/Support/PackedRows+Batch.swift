package import CofferWire

/// Rows as tests look at them: what a client in another language reads from their message.
extension PackedRows {
    /// The rows as a batch.
    package var batch: RowBatch {
        do throws(WireError) {
            return try RowBatch(packed: packed())
        } catch {
            preconditionFailure("rows that were packed are not read: \(error)")
        }
    }

    /// The primary key of each row; none for dictionaries.
    package var primaryKeys: [Int64] { makePrimaryKeys() }

    /// The leaf entity of each row; none if all are of `entity`.
    package var entities: [UInt32] { batch.entities }

    /// Z_OPT of each row; none if not asked for.
    package var versions: [UInt32] { batch.versions }

    /// The properties.
    package var columns: [Column] { batch.columns }
}

extension RowBatch {
    /// The rows as a store gives them; to make columns that do not fit is the test's mistake.
    package var rows: PackedRows {
        do throws(WireError) {
            return try PackedRows(self)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
