import Synchronization

/// The shares of clients or, in the system's service, of users.
///
/// Shared. A share lasts as long as that of one of its connections, or a channel that was opened over one: nothing grows with processes
/// that are gone, nor matters to one that gets the number of such a one.
package final class GroupShares: Sendable {
    /// Whose connections are one group.
    package enum Name: Hashable, Sendable {
        case client(ClientIdentity)
        case user(UInt32)
    }

    private struct Entry {
        weak var share: WorkShare?
    }

    private let entries = Mutex<[Name: Entry]>([:])
    private let kind: WorkShare.Group

    /// No shares yet.
    package init(of kind: WorkShare.Group) { self.kind = kind }

    /// How many are kept, or were until the last was made.
    package var count: Int { entries.withLock { $0.count } }

    /// A share for a new connection of a client.
    package func share(of client: ClientIdentity) -> WorkShare {
        let name: Name =
            switch kind {
            case .client: .client(client)
            case .user: .user(client.userID)
            }
        return WorkShare(in: self[name])
    }

    private subscript(name: Name) -> WorkShare {
        entries.withLock { entries in
            if let known = entries[name]?.share { return known }
            let share = WorkShare(of: kind)
            entries = entries.filter { $0.value.share != nil }
            entries[name] = Entry(share: share)
            return share
        }
    }
}
