import CofferDBus
import Synchronization

/// The shares of processes or, in the system's service, of users.
///
/// Shared. A share lasts as long as that of one of its connections, or a channel that was opened over one: nothing grows with processes
/// that are gone, nor matters to one that gets the number of such a one.
package final class GroupShares: Sendable {
    private struct Entry {
        weak var share: WorkShare?
    }

    private let entries = Mutex<[UInt32: Entry]>([:])
    private let kind: WorkShare.Group

    /// No shares yet.
    package init(of kind: WorkShare.Group) { self.kind = kind }

    /// How many are kept, or were until the last was made.
    package var count: Int { entries.withLock { $0.count } }

    /// The share of the process or user with a number.
    package subscript(id: UInt32) -> WorkShare {
        entries.withLock { entries in
            if let known = entries[id]?.share { return known }
            let share = WorkShare(of: kind)
            entries = entries.filter { $0.value.share != nil }
            entries[id] = Entry(share: share)
            return share
        }
    }

    /// A share for a new connection.
    func share(of credentials: DBusCredentials) -> WorkShare {
        switch kind {
        // Those of whose processes the bus says nothing are one.
        case .process: WorkShare(in: self[credentials.pid ?? 0])
        case .user: WorkShare(in: self[credentials.uid])
        }
    }
}
