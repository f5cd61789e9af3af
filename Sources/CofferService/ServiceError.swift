package import CofferLinux
package import CofferStores
package import CofferUbiquity
package import CofferWire

/// Why the service did not do what a caller asked.
@nonexhaustive
package enum ServiceError: Error, Sendable {
    /// No store of this session has the handle: open it first.
    case unknownStoreHandle(UInt32)
    /// No store has the name.
    case noSuchStore(String)
    /// The store is open: close it everywhere first.
    case storeInUse(String, sessions: Int)
    /// The store's file was exchanged or deleted since the handle was given: open the store again.
    case storeExchanged(UInt32)
    /// The store was open for a migration whose client made its objects, and did not do so in time.
    case migrationEnded(UInt32)
    /// The store's file is being exchanged at the moment: try again.
    case exchangeUnderWay(String)
    /// Calls about the store do not end, so that its file cannot be exchanged: try again.
    case storeHeld(String)
    /// The file that was to take a store's place cannot: it keeps another model, or did not come along.
    case unfitReplacement(String)
    /// The store is shared with other machines: say what becomes of that.
    case sharedContent(String)
    /// The account's own store is not complete: wait until it is.
    case notLive(String)
    /// The file that was to take a store's place could keep the service of all users waiting, or change: send
    /// a copy in sealed memory.
    case unsealedReplacement
    /// What came along to write a copy into is not a folder.
    case unfitBackupFolder(String)
    /// A name of an application, configuration or store cannot be one.
    case invalidName(field: String, value: String, reason: String)
    /// The first call on a channel is Hello, with a protocol that the service speaks.
    case protocolMismatch(String)
    /// A later Hello names another application than the first: that takes another connection.
    case anotherApplication(String, first: String)
    /// The caller may not do that.
    case denied(String)
    /// Too many calls wait: take answers first.
    case tooManyCalls(limit: Int)
    /// Too much memory is in requests that wait: take answers first.
    case tooMuchRequested(limit: Int)
    /// More of an answer waits for its reader than the disk may keep: read, or ask for less.
    case tooMuchUnread(limit: Int)
    /// The user's files take as much of the disk as they may: delete some.
    case overQuota(limit: Int, byteCount: Int)
    /// Another file with the store's UUID is open, so one is a copy of the other: close that one, or remove
    /// one of the two.
    case duplicateStore(uuid: String, path: String, openPath: String)
    /// Too many stores are open: close some.
    case tooManyStores(limit: Int)
    /// Too many channels are open: close some.
    case tooManyChannels(limit: Int)
    /// Too many follow what the service does: end some.
    case tooManyTraces(limit: Int)
    /// The caller's time was over before the answer was there: give it more, or ask for less.
    case late
    /// There is no such method.
    case unknownMethod(String)
    /// The store was opened for reading only.
    case readOnly(String)
    /// The store is written for an account only, and no account is signed in.
    case noAccount(String)
    /// A message is malformed.
    case wire(WireError)
    /// A store could not do it.
    case store(StoreError)
    /// A store was not taken to another model as its client says.
    case migration(ErrorDetailMessage)
    /// An account could not be used.
    case account(AccountError)
    /// The system could not do it.
    case system(LinuxError)
}

extension ServiceError {
    /// Whether descriptors or memory have run out.
    var isExhaustion: Bool {
        switch self {
        case .store(.outOfDescriptors), .store(.outOfMemory): true
        case .system(let error): error.isOutOfDescriptors || error.isOutOfMemory
        default: false
        }
    }

    /// The reason of what a migration does that does not wait for its policies any more.
    static let policyLate = "policy_late"

    /// What the caller is told; the one place where errors become status codes.
    package var detail: ErrorDetailMessage {
        switch self {
        case .unknownStoreHandle(let handle):
            .init(
                code: .failedPrecondition, reason: "unknown_store",
                text: "No store is open under the handle \(handle): call OpenStore first.", place: "store")
        case .noSuchStore(let name):
            .init(code: .notFound, reason: "no_such_store", text: "There is no store '\(name)'.", place: name)
        case .storeInUse(let name, let sessions):
            .init(
                code: .failedPrecondition, reason: "store_in_use",
                text: "The store '\(name)' is open in \(sessions) session(s): close it there first.",
                place: name)
        case .storeExchanged(let handle):
            .init(
                code: .aborted, reason: ErrorDetailMessage.storeExchanged,
                text:
                    "The file of the store under the handle \(handle) was exchanged or deleted: open it again.",
                place: "store")
        case .migrationEnded(let handle):
            .init(
                code: .deadlineExceeded, reason: Self.policyLate,
                text: """
                    The store under the handle \(handle) was open for a migration, which waits for its \
                    policies no longer: their answer came, or took too long.
                    """, place: "store")
        case .exchangeUnderWay(let name):
            .init(
                code: .aborted, reason: "exchange_under_way",
                text: "The file of '\(name)' is being exchanged by another program: try again.", place: name)
        case .storeHeld(let name):
            .init(
                code: .unavailable, reason: "store_held",
                text: "Calls about '\(name)' that were begun before do not end: try again.", place: name)
        case .unfitReplacement(let text):
            .init(code: .failedPrecondition, reason: "unfit_replacement", text: text)
        case .sharedContent(let name):
            .init(
                code: .failedPrecondition, reason: ErrorDetailMessage.sharedContent,
                text:
                    "'\(name)' is shared with other machines: have the file catch up with them, or make it the content of all.",
                place: name)
        case .notLive(let name):
            .init(
                code: .failedPrecondition, reason: "not_live",
                text: "'\(name)' does not have all of its account's content yet: wait until it is live.",
                place: name)
        case .unsealedReplacement:
            .init(
                code: .invalidArgument, reason: ErrorDetailMessage.notSealed,
                text: """
                    The service of all users reads no file of a user's, which could keep it waiting: send a copy of it in memory \
                    (memfd_create) without holes that is sealed against writing, shrinking and growing.
                    """)
        case .unfitBackupFolder(let text):
            .init(code: .invalidArgument, reason: "unfit_folder", text: text)
        case .invalidName(let field, let value, let reason):
            .init(
                code: .invalidArgument, reason: "invalid_name",
                text: "'\(value)' cannot be \(field.hasPrefix("a") ? "an" : "a") \(field): \(reason).",
                place: field)
        case .anotherApplication(let other, let first):
            .init(
                code: .failedPrecondition, reason: "another_application",
                text:
                    "The session is that of '\(first)', and Hello now names '\(other)': open a new connection for that.",
                place: "application")
        case .protocolMismatch(let text):
            .init(code: .failedPrecondition, reason: "protocol", text: text)
        case .denied(let text):
            .init(code: .permissionDenied, reason: "denied", text: text)
        case .tooManyCalls(let limit):
            .init(
                code: .resourceExhausted, reason: "too_many_calls",
                text: "More than \(limit) calls of this client wait for answers: send fewer at once.")
        case .tooMuchRequested(let limit):
            .init(
                code: .resourceExhausted, reason: "too_much_requested",
                text:
                    "Requests of more than \(limit >> 20) MiB of this client wait for answers: send fewer at once."
            )
        case .tooMuchUnread(let limit):
            .init(
                code: .resourceExhausted, reason: "too_much_unread",
                text:
                    "More than \(limit >> 20) MiB wait for this client, which does not read: ask for less at once."
            )
        case .overQuota(let limit, let byteCount):
            .init(
                code: .resourceExhausted, reason: "quota",
                text:
                    "The stores of this user take \(byteCount >> 20) MiB, \(limit >> 20) are allowed ('user-quota'): delete stores, or "
                    + "objects and then vacuum."
            )
        case .duplicateStore(let uuid, let path, let openPath):
            .init(
                code: .failedPrecondition, reason: "duplicate_store",
                text: "'\(path)' has the UUID \(uuid), as '\(openPath)' has, which is open: one is a copy.",
                place: path)
        case .tooManyStores(let limit):
            .init(
                code: .resourceExhausted, reason: "too_many_stores",
                text: "More than \(limit) stores are open: close some.")
        case .tooManyChannels(let limit):
            .init(
                code: .resourceExhausted, reason: "too_many_channels",
                text: "More than \(limit) channels are open: close some.")
        case .tooManyTraces(let limit):
            .init(
                code: .resourceExhausted, reason: "too_many_traces",
                text: "More than \(limit) traces are open: end some.")
        case .late:
            .init(
                code: .deadlineExceeded, reason: "timeout",
                text: "The call took longer than its caller waits: give it more time, or ask for less.")
        case .unknownMethod(let name):
            .init(
                code: .unimplemented, reason: "unknown_method", text: "There is no method \(name).",
                place: name)
        case .readOnly(let name):
            .init(
                code: .failedPrecondition, reason: "read_only",
                text: "The store '\(name)' was opened for reading only.", place: name)
        case .noAccount(let name):
            .init(
                code: .failedPrecondition, reason: "no_account",
                text: "No account is signed in, and '\(name)' is written for an account: sign in first.",
                place: name)
        case .wire(.malformed(let what)):
            .init(
                code: .invalidArgument, reason: "malformed", text: "The request is malformed: \(what).",
                place: what)
        case .wire(.tooLarge(let what, let byteCount, let limit)):
            .init(
                code: .resourceExhausted, reason: "too_large",
                text: "\(what) takes \(byteCount), \(limit) are allowed.", place: what)
        case .wire(let error):
            .init(code: .invalidArgument, reason: "malformed", text: "\(error)")
        case .store(let error): error.detail
        case .migration(let detail): detail
        case .account(let error): error.detail
        case .system(let error): error.detail
        }
    }
}

extension ServiceError {
    /// What the log says: of what is our own mistake, all.
    var logText: String {
        switch self {
        case .store(let error): error.description
        case .system(let error): error.description
        default: description
        }
    }
}

extension ServiceError: CustomStringConvertible {
    /// What was wrong, and what to do.
    package var description: String { detail.text }
}

extension LinuxError {
    /// What the caller is told: most faults of the system are not the caller's, some are.
    var detail: ErrorDetailMessage {
        switch self {
        case .notSealed:
            .init(
                code: .invalidArgument, reason: ErrorDetailMessage.notSealed,
                text: "The memory of a request must be sealed against writing, shrinking and growing.")
        case .wrongSize(let expected, let actual):
            .init(
                code: .invalidArgument, reason: "wrong_size",
                text: "The memory of a request has \(actual) bytes, \(expected) were announced.")
        case .bufferFull(let limit):
            .init(
                code: .resourceExhausted, reason: "too_large", text: "More than \(limit) bytes come at once.")
        case .tooManyDescriptors(let limit):
            .init(
                code: .resourceExhausted, reason: "too_many_descriptors",
                text: "More than \(limit) descriptors come at once.")
        case .system(_, _, let path) where isSymbolicLink:
            .init(
                code: .failedPrecondition, reason: "symbolic_link",
                text: "\(self): where stores live, symbolic links are not followed.", place: path ?? "")
        case .system, .locked: StoreError(self).detail
        case .invalidPath, .malformed:
            .init(code: .invalidArgument, reason: "malformed", text: "\(self)")
        }
    }
}
