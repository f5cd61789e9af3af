import CofferFormats
import CofferSQLite
package import CofferWire

extension StoreWriter {
    /// Moves pages from the log into the file; says how many it had, and how many could be moved.
    ///
    /// - Throws: `StoreError.busy` where readers were in the way all the time.
    package func checkpoint() throws(StoreError) -> (logPages: Int, movedPages: Int) {
        let result = try translating { () throws(SQLiteError) in try connection.checkpoint(mode: .full) }
        return (result.walFrames, result.checkpointedFrames)
    }

    /// Makes the file as small as it can be.
    package func vacuum() throws(StoreError) {
        try translating { () throws(SQLiteError) in try connection.vacuum() }
        try checkpointFully()
    }

    /// What the store says of itself, after changing texts of applications.
    package func metadata(changing changes: [String: String?]) throws(StoreError) -> MetadataReplyMessage {
        var entries: [String: String] = [:]
        if changes.isEmpty {
            entries = try file.metadataEntries(on: connection)
        } else {
            try begin()
            do throws(StoreError) {
                entries = try updateMetadata(changes)
            } catch {
                try rollback()
                throw error
            }
            try commit()
        }
        return MetadataReplyMessage(
            uuid: file.uuid, entries: entries, versionHashes: try file.metadata(on: connection).versionHashes)
    }
}
