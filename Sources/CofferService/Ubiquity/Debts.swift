import CofferLinux
import CofferUbiquity
import Synchronization

/// What stores have written for accounts that are not served now, and is not in their containers.
///
/// Shared. One thread at a time brings it there, file by file; a caller that needs a file takes it away
/// from that thread.
final class Debts: Sendable {
    /// One file of a store.
    struct File: Hashable, Sendable {
        let key: StoreKey
        let place: Int64
        let account: Int64
        /// Whether it is kept only for what it owes: no client is served from it any more.
        let isOnlyOwing: Bool
    }

    private struct State {
        /// What is under way; its delivery is `nil` while the file is opened.
        var current: (file: File, delivery: OutboxDelivery?)?
        /// How much each file owes that was looked at, and which need not be looked at again.
        var known: [File: UInt64] = [:]
        var checked: Set<File> = []
        var isRunning = false
        /// Whether it is to be gone through all files again.
        var isAgain = false
        /// Whether a file was taken away before it was known what it owes.
        var isCutOff = false
        /// How often in a row something was left.
        var failures = 0
    }

    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(300)

    private let state = Mutex(State())

    /// How much is owed, as far as is known.
    var owed: [File: UInt64] { state.withLock { $0.known.filter { $0.value > 0 } } }

    /// Whether nothing is known to be owed by a file.
    func isPaid(_ file: File) -> Bool {
        state.withLock { $0.known[file] == 0 && $0.checked.contains(file) }
    }

    /// Whether a thread is to begin: else the one that runs goes through all files again.
    func begin() -> Bool {
        state.withLock { state in
            if state.isRunning {
                state.isAgain = true
                return false
            }
            state.isRunning = true
            return true
        }
    }

    /// Whether the thread is to go through all files again.
    func isToGoOn() -> Bool {
        state.withLock { state in
            defer { state.isAgain = false }
            state.isRunning = state.isAgain
            return state.isRunning
        }
    }

    /// How soon it is tried again; `nil` if nothing is owed.
    func pause() -> Duration? {
        state.withLock { state in
            if state.isCutOff {
                state.isCutOff = false
                return Self.shortestPause
            }
            guard state.known.contains(where: { $0.value > 0 }) else {
                state.failures = 0
                return nil
            }
            defer { state.failures += 1 }
            return min(Self.shortestPause * (1 << min(state.failures, 20)), Self.longestPause)
        }
    }

    /// Notes that a file is about to be opened.
    func claim(_ file: File) { state.withLock { $0.current = (file, nil) } }

    /// Notes what is under way with a file that was claimed; `false` if it is needed elsewhere since.
    func keep(_ delivery: OutboxDelivery, of file: File) -> Bool {
        state.withLock { state in
            guard state.current?.file == file else { return false }
            state.current?.delivery = delivery
            return true
        }
    }

    /// Notes how much a file owes; `nil` if that was not found out.
    ///
    /// - Returns: Whether that is news.
    @discardableResult
    func note(_ count: UInt64?, of file: File) -> Bool {
        state.withLock { state in
            let wasLeft = state.current?.file != file
            state.current = nil
            guard let count, !wasLeft else { return false }
            state.checked.insert(file)
            return state.known.updateValue(count, forKey: file) ?? 0 != count
        }
    }

    /// Forgets all files but these: the others owe nothing that could be brought anywhere.
    func forgetOthers(than files: Set<File>) {
        state.withLock { state in
            state.known = state.known.filter { files.contains($0.key) }
            state.checked.formIntersection(files)
        }
    }

    /// Takes the file with which a store serves an account away from the delivery of what it owes.
    ///
    /// The file is looked at again later.
    func leave(_ key: StoreKey, of account: Int64?) {
        guard let account else { return }
        let delivery = state.withLock { state -> OutboxDelivery? in
            let isOther = { (file: File) in
                file.key != key || file.account != account || file.isOnlyOwing
            }
            state.checked = state.checked.filter(isOther)
            // Served, it shows by itself what it owes.
            state.known = state.known.filter { isOther($0.key) }
            guard let current = state.current, !isOther(current.file) else { return nil }
            (state.current, state.isCutOff) = (nil, true)
            return current.delivery
        }
        delivery?.end()
    }
}
