internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import Synchronization

/// A save of this process, from which its transaction can be told without asking the service.
///
/// A class, since the code that saves hands it to the code that tells of the save.
final class LocalSave: Sendable {
    /// The store.
    let store: ChannelStore
    /// As the context made it.
    let request: SaveRequestMessage
    /// The context.
    let origin: ObjectIdentifier?
    /// The application that the process belongs to, as the service says.
    let application: String
    /// The process's name.
    let process: String
    /// The reply, if the thread that saves has read it already.
    private let reply = Mutex<SaveReplyMessage?>(nil)

    init(
        store: ChannelStore, request: SaveRequestMessage, origin: ObjectIdentifier?, application: String,
        process: String
    ) {
        self.store = store
        self.request = request
        self.origin = origin
        self.application = application
        self.process = process
    }

    /// Notes what the reply says.
    func note(_ reply: SaveReplyMessage) { self.reply.withLock { $0 = reply } }

    /// What the service has answered; `nil` if the caller is told that the reply cannot be read.
    func reply(in frame: ReceivedFrame) -> SaveReplyMessage? {
        if let reply = reply.withLock({ $0.take() }) { return reply }
        // The caller of the save reads the same frame, and is told.
        return frame.header.status == .ok ? try? frame.payload.message(SaveReplyMessage.self) : nil
    }

    /// The transaction that was made.
    func transaction(_ saved: SavedMessage) -> TransactionMessage {
        let keys = InsertedKeys(request, saved)
        var changes = request.inserts.enumerated().map { index, group in keys.change(group, at: index) }
        // What the service wrote differently, or kept, is told by its rows alone: their versions may be those
        // of before.
        let refreshed = saved.refreshedNames
        for group in request.updates { changes += keys.change(group, without: refreshed) }
        changes += saved.touched
        changes += saved.refreshed.flatMap(LocalSave.changes)
        let deletes =
            request.deletes.isEmpty || !request.mergePolicy.mayKeepDeleted
            ? request.deletes : request.deletes.without(refreshed)
        changes += (deletes + saved.alsoDeleted).map {
            ChangeGroup(kind: .delete, entity: $0.entity, primaryKeys: $0.primaryKeys)
        }
        return TransactionMessage(
            number: saved.number, timestamp: WallClock.secondsSince2001, author: request.author,
            contextName: request.contextName, process: process, application: application, changes: changes)
    }

    /// Rows of a batch as updates, one group a leaf entity.
    private static func changes(_ batch: RowBatch) -> [ChangeGroup] {
        let properties = batch.columns.map(\.property)
        if batch.entities.isEmpty {
            return [
                ChangeGroup(
                    kind: .update, entity: batch.entity, primaryKeys: batch.primaryKeys,
                    versions: batch.versions,
                    properties: properties, columns: batch.columns)
            ]
        }
        // Rows of several entities: their values are fetched when needed.
        let rows = Dictionary(grouping: 0..<batch.rowCount) { batch.leafEntity($0) }
        return rows.sorted { $0.key < $1.key }.map { entity, rows in
            ChangeGroup(
                kind: .update, entity: entity, primaryKeys: rows.map { batch.primaryKeys[$0] },
                versions: batch.versions.isEmpty ? [] : rows.map { batch.versions[$0] },
                properties: properties)
        }
    }
}

/// The primary keys that a save's new objects got.
private struct InsertedKeys {
    private let keys: [Int64]
    private let firstKeys: [Int64]
    private let merged: [Int: Int64]
    private let groupStarts: [Int]

    init(_ request: SaveRequestMessage, _ saved: SavedMessage) {
        firstKeys = saved.firstKeys
        merged = saved.merged
        var keys = zip(request.inserts, saved.firstKeys).flatMap { group, first in
            group.temporaryIDs.indices.map { first + Int64($0) }
        }
        for (place, key) in saved.merged where place < keys.count { keys[place] = key }
        self.keys = keys
        groupStarts = request.inserts.reduce(into: [0]) {
            $0.append($0[$0.count - 1] + $1.temporaryIDs.count)
        }
    }

    /// A key of a request as the store has it: negative ones name new objects by their place.
    func stored(_ key: Int64) -> Int64 {
        guard key < 0 else { return key }
        let place = Int(-(key + 1))
        return place < keys.count ? keys[place] : 0
    }

    /// New objects, without values: no context knows them, and a thousand imports may wait in an idle
    /// context.
    func change(_ group: InsertGroup, at index: Int) -> ChangeGroup {
        let first = index < firstKeys.count ? firstKeys[index] : 0
        if !merged.isEmpty {
            // Objects that are one with others were updated, and come with the refreshed rows.
            let rows = group.temporaryIDs.indices.filter { merged[groupStarts[index] + $0] == nil }
            return ChangeGroup(
                kind: .insert, entity: group.entity, primaryKeys: rows.map { first + Int64($0) },
                versions: rows.map { _ in 1 })
        }
        let primaryKeys = group.temporaryIDs.indices.map { first + Int64($0) }
        return ChangeGroup(
            kind: .insert, entity: group.entity, primaryKeys: primaryKeys,
            versions: Array(repeating: 1, count: primaryKeys.count))
    }

    /// What became of updates, but for objects whose rows say so themselves; empty if all do.
    func change(_ group: UpdateGroup, without names: Set<StoredName>) -> [ChangeGroup] {
        var change = ChangeGroup(
            kind: .update, entity: group.entity, primaryKeys: group.primaryKeys,
            versions: group.versions.map { $0 &+ 1 }, properties: group.columns.map(\.property),
            columns: group.columns.map(stored))
        if names.isEmpty { return [change] }
        let rows = group.primaryKeys.indices.filter {
            !names.contains(StoredName(entity: group.entity, key: group.primaryKeys[$0]))
        }
        if rows.count < group.primaryKeys.count {
            change.primaryKeys = rows.map { change.primaryKeys[$0] }
            change.versions = rows.map { change.versions[$0] }
            change.columns = []  // Whoever needs the values fetches them.
        }
        return rows.isEmpty ? [] : [change]
    }

    private func stored(_ column: Column) -> Column {
        guard case .references(let keys, let entities) = column.values, keys.contains(where: { $0 < 0 })
        else {
            return column
        }
        var column = column
        column.values = .references(keys: keys.map(stored), entities: entities)
        return column
    }
}
