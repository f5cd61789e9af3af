/// What is known of an account's content on a machine that may be new to it: `coffer.v1.FirstContent`.
package enum FirstContentMessage: Sendable, Hashable {
    /// The container cannot be reached, or files may still be on their way.
    case unknown
    /// There is nothing, and nothing is on its way.
    case empty
    /// So many of the logs and baselines that are known were read.
    case importing(read: UInt64, total: UInt64)
    /// There is some here.
    case present
}

extension UbiquitousStoreMessage {
    /// Which store; all of it is said.
    package var storeName: StoreNameMessage {
        StoreNameMessage(application: application, configuration: configuration, name: name)
    }

    /// What is known of the account's content; `nil` if no account is signed in to.
    package var firstContent: FirstContentMessage? {
        get {
            switch firstContentKind {
            case nil: nil
            case .unknown: .unknown
            case .empty: .empty
            case .importing: .importing(read: firstRead, total: firstTotal)
            case .present: .present
            }
        }
        set {
            (firstRead, firstTotal) = (0, 0)
            switch newValue {
            case nil: firstContentKind = nil
            case .unknown: firstContentKind = .unknown
            case .empty: firstContentKind = .empty
            case .importing(let read, let total):
                (firstContentKind, firstRead, firstTotal) = (.importing, read, total)
            case .present: firstContentKind = .present
            }
        }
    }

    /// A store of which only names and condition are known.
    package init(name: StoreNameMessage, contentName: String, condition: String) {
        self.init(
            application: name.application, configuration: name.configuration, name: name.name,
            contentName: contentName, condition: condition)
    }
}
