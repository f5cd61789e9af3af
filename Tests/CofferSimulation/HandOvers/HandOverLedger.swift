internal import CofferUbiquity

/// What was acknowledged to clients, and what became of it by anybody's choice.
///
/// Confined to one simulation.
final class HandOverLedger {
    /// Whose a record is.
    enum Owner: Hashable {
        case account(Int64)
        case nobody(machine: Int)
    }

    /// A record that a client saved.
    struct Record {
        let owner: Owner
        let machine: Int
        /// Whether the client was told that it is saved.
        var isAcknowledged = false
        var isDeleted = false
        /// Whether it was removed with everything else, as an application wanted.
        var isRemoved = false
        /// To which accounts it was given, as its application wanted.
        var heirs: Set<Int64> = []
        /// Whether the file in which it was saved has gone, since the container had all of it.
        var isDelivered = false

        /// The accounts that may have it.
        var accounts: Set<Int64> {
            if case .account(let account) = owner { [account] } else { heirs }
        }
    }

    private(set) var records: [Int: Record] = [:]
    /// The accounts of whose containers content was lost, replaced or removed: what was there may be put
    /// aside.
    private(set) var losses: Set<Int64> = []
    /// The machines on which content of no account was put aside, as an application wanted.
    private(set) var discards: Set<Int> = []
    /// What was served though something else was wanted.
    private(set) var fault: String?

    /// A client is about to save.
    func begin(_ changes: [StoreContent.Change], of account: Int64?, on machine: Int) {
        for case .insert(let label) in changes {
            records[label] = Record(
                owner: account.map { .account($0) } ?? .nobody(machine: machine), machine: machine)
        }
        for case .delete(let label) in changes { records[label]?.isDeleted = true }
    }

    /// That was acknowledged.
    func acknowledge(_ changes: [StoreContent.Change]) {
        for case .insert(let label) in changes { records[label]?.isAcknowledged = true }
    }

    private func change(_ body: (inout Record) -> Void) { for label in records.keys { change(label, body) } }

    private func change(_ label: Int, _ body: (inout Record) -> Void) {
        guard var record = records[label] else { return }
        body(&record)
        records[label] = record
    }

    /// An application wants content of no account moved to an account.
    func noteMerging(into account: Int64, on machine: Int) {
        change { if $0.owner == .nobody(machine: machine) { $0.heirs.insert(account) } }
    }

    /// Content of an account's container was lost, or replaced.
    func noteLoss(of account: Int64) { losses.insert(account) }

    /// Content of no account was put aside.
    func noteDiscard(on machine: Int) { discards.insert(machine) }

    /// An application removed an account's content from one machine and the container.
    func noteRemoval(of account: Int64, on machine: Int) {
        losses.insert(account)
        change { record in
            if record.accounts.contains(account), record.machine == machine { record.isRemoved = true }
        }
    }

    /// A file with these records has gone, as an application wanted.
    func noteRemoval(of labels: some Sequence<Int>) {
        for label in labels { change(label) { $0.isRemoved = true } }
    }

    /// A file with these records has gone, since its container has all of it.
    func noteDelivery(of labels: some Sequence<Int>) {
        for label in labels { change(label) { $0.isDelivered = true } }
    }

    /// A content took the place of another one.
    func noteExchange(to content: ServedContent, wanted: ServedContent?) {
        if let wanted, content != wanted { fault = "\(content) is served, and \(wanted) was wanted" }
    }
}
