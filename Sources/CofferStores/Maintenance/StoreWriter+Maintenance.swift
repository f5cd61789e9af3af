import CofferFormats
import CofferSQLite
package import CofferWire

extension StoreWriter {
    /// Moves pages from the log into the file; says how many it had, and how many could be moved: none if
    /// there is no log.
    ///
    /// - Throws: `StoreError.busy` if readers were in the way all the time.
    package func checkpoint() throws(StoreError) -> (logPages: Int, movedPages: Int) {
        let result = try translating { () throws(SQLiteError) in try connection.checkpoint(mode: .full) }
        return (max(0, result.walFrames), max(0, result.checkpointedFrames))
    }

    /// Makes the file as small as it can be.
    ///
    /// This happens in place, and not by a small copy that takes the file's name: one transaction of
    /// SQLite's is there or not, whatever breaks, readers keep what they read, and no client has to leave a
    /// file that goes away.
    /// - Parameter progress: Called with bytes written and about how many there will be; `false` stops it
    ///   with `interrupted`.
    /// - Throws: `interrupted`, and what the disk says.
    package func vacuum(
        _ progress: (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) {
        try translating { () throws(SQLiteError) in try connection.vacuum(progress) }
        try checkpointFully()
    }

    /// What the store says of itself, after changing what applications have set.
    package func metadata(
        changing changes: [String: MetadataValueMessage?]
    ) throws(StoreError) -> MetadataReplyMessage {
        let metadata =
            changes.isEmpty
            ? try file.metadata(on: connection)
            : try transaction { () throws(StoreError) in try updateMetadata(changes) }
        return metadata.reply(uuid: file.uuid, type: file.typeName)
    }

    /// Notes how far a consumer of history has come; says the oldest number that a token may have, and which
    /// consumers there are.
    ///
    /// A request without a name changes nothing.
    package func setConsumer(
        _ request: ConsumerRequestMessage, application: String, now: Double
    ) throws(StoreError) -> ConsumerReplyMessage {
        let listed = request.allApplications ? nil : application
        if request.name.isEmpty {
            return ConsumerReplyMessage(
                floor: try historyFloor(), consumers: try consumers(of: listed, now: now))
        }
        let owner = request.application.isEmpty ? application : request.application
        return try transaction { () throws(StoreError) in
            let floor = try acknowledge(request, application: owner, now: now)
            return ConsumerReplyMessage(floor: floor, consumers: try consumers(of: listed, now: now))
        }
    }

    /// Deletes the history that an application needs no longer; says the oldest number that a token may have.
    package func purgeHistory(
        _ request: PurgeHistoryRequestMessage, now: Double
    ) throws(StoreError) -> UInt64 {
        try transaction { () throws(StoreError) in try deleteHistory(request, now: now) }
    }

    /// Makes history begin again behind `number`, as for a file that takes another's place; says the number
    /// that it begins with.
    package func restartHistory(after number: UInt64, now: Double) throws(StoreError) -> UInt64 {
        try transaction { () throws(StoreError) in try beginHistoryAnew(after: number, now: now) }
    }

    /// Deletes history that is not needed any more.
    package func purgeHistory() throws(StoreError) {
        try transaction { () throws(StoreError) in _ = try purgeHistory(now: file.environment.now()) }
    }

    /// Runs `body` in a transaction of its own.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try begin()
        let result: Result
        do throws(StoreError) {
            result = try body()
        } catch {
            try rollback()
            throw error
        }
        try commit()
        return result
    }
}
