import CofferContainer
import CofferUbiquity
import CofferWire

/// What statuses say of a store that follows the accounts.
extension StoreSharing {
    /// A word for what is known of its container.
    var conditionWord: String {
        if let status = status ?? building { return status.condition.word }
        if !isOfAccount { return "signed-out" }
        switch lookedAt {
        case .unreachable: return "away"
        case .small, .large: return "there"
        case .empty, nil: return "new"
        }
    }

    /// What is known of the account's content; `nil` if the content belongs to no account.
    var firstContent: FirstContentMessage? {
        guard isOfAccount else { return nil }
        guard let status = status ?? building else { return .unknown }
        return .init(status)
    }
}

extension FirstContentMessage {
    /// What a status tells.
    ///
    /// That nothing is there is never said of a folder that others carry: files may always be on their way,
    /// unless this machine is the one that began the container and wrote something.
    fileprivate init(_ status: UbiquityStatus) {
        if status.objectCount > 0, status.unreadCount == 0 {
            self = .present
        } else if status.unreadCount > 0 {
            let total = UInt64(clamping: status.listedCount)
            let unread = UInt64(clamping: min(status.unreadCount, status.listedCount))
            self = .importing(read: total - unread, total: total)
        } else if status.condition.isExchanged, status.lastFold > 0 || status.listedCount > 0 {
            // There were changes, and nothing of them is left.
            self = .empty
        } else {
            self = .unknown
        }
    }
}

extension StoreState {
    /// A word for it, as status and logs have it.
    var word: String {
        switch self {
        case .asking: "asking"
        case .serving(.local): "local"
        case .serving(.fallback): "fallback"
        case .serving(.live): "live"
        case .serving(.rebuilding): "rebuilding"
        case .serving(.none): "gone"
        }
    }
}
