internal import CofferContainer
package import CofferCoordination
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
package import CofferStores
internal import CofferWire
internal import FoundationEssentials

/// Undoing a conflict: an ordinary save that sets what was overruled.
package enum ConflictUndo {
    /// Why a conflict was not undone; nothing was written.
    package enum Refusal: Error, Sendable, Equatable {
        /// The journal has no such conflict, or not any more.
        case unknown(UInt64)
        /// What it is about is not there any more, or not at hand, as the reason says.
        case impossible(UInt64, reason: String)
        /// Other objects or the model are in the way.
        case refused(UInt64, reason: String)
    }

    /// Saves what a conflict overruled: values of an object, an object that was deleted, a deletion.
    ///
    /// - Parameters:
    ///   - number: The conflict.
    ///   - store: The store.
    ///   - origin: The origin of the save.
    /// - Returns: The number of the transaction; 0 if it was undone before.
    /// - Throws: `Refusal`, `StoreError`.
    package static func undo(_ number: UInt64, in store: PersistentStore, by origin: SaveOrigin) throws
        -> UInt64
    {
        let file = store.file
        let refusal = Refusals()
        do throws(StoreError) {
            let execution = try store.save(by: origin) { writer throws(StoreError) in
                let table = ConflictTable(writer.connection)
                guard try ReplicaTables.translating({ () throws(SQLiteError) in try table.exists }),
                    let noted = try table.conflict(number)
                else {
                    refusal.note(.unknown(number))
                    throw .interrupted
                }
                if noted.isUndone {
                    refusal.note(nil)
                    throw .interrupted
                }
                let request: SaveRequestMessage
                do throws(Refusal) {
                    request = try UndoRequest(noted, in: file, on: writer).message()
                } catch {
                    refusal.note(error)
                    throw .interrupted
                }
                let execution = try writer.execute(request, by: origin)
                guard case .saved = execution.reply else {
                    refusal.note(.refused(number, reason: "\(execution.reply)"))
                    throw .interrupted
                }
                try table.markUndone(number)
                return execution
            }
            guard case .saved(let saved) = execution.reply else { return 0 }
            return saved.number
        } catch {
            guard case .interrupted = error, let known = refusal.known else { throw error }
            if let refusal = known { throw refusal }
            return 0
        }
    }

    /// What the thread that writes found in the way.
    private final class Refusals: Sendable {
        private let content = ConditionLock<Refusal??>(nil)

        func note(_ refusal: Refusal?) { content.withLock { $0 = .some(refusal) } }

        /// Why nothing was written; `.some(nil)` if nothing was to be written.
        var known: Refusal?? { content.withLock { $0 } }
    }
}

extension ConflictUndo.Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let number): "There is no conflict \(number), or not any more: list them again."
        case .impossible(let number, let reason): "Conflict \(number) cannot be undone: \(reason)."
        case .refused(let number, let reason):
            "What conflict \(number) overruled cannot be saved now: \(reason)."
        }
    }
}
