import CofferLinux
import Synchronization

/// The shares of clients or, in the system's service, of users.
///
/// Shared. A share lasts as long as that of one of its connections, or a channel that was opened over one:
/// nothing grows with processes that are gone, nor matters to one that gets the number of such a one.
package final class WorkAccounts: Sendable {
    /// The owner whose connections form one group.
    package enum Name: Hashable, Sendable {
        case client(ClientIdentity)
        case user(UInt32)
    }

    private let entries = Mutex<[Name: Weak<WorkAccount>]>([:])
    private let kind: WorkAccount.Group

    /// No shares yet.
    package init(of kind: WorkAccount.Group) { self.kind = kind }

    /// How many are kept, or were until the last was made.
    package var count: Int { entries.withLock { $0.count } }

    /// A share for a new connection of a client.
    package func share(of client: ClientIdentity) -> WorkAccount {
        let name: Name =
            switch kind {
            case .client: .client(client)
            case .user: .user(client.userID)
            }
        return WorkAccount(in: self[name])
    }

    private subscript(name: Name) -> WorkAccount {
        entries.withLock { entries in
            if let known = entries[name]?.object { return known }
            let share = WorkAccount(of: kind)
            entries = entries.filter { $0.value.object != nil }
            entries[name] = Weak(share)
            return share
        }
    }
}
