internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of ours, which may block as Swift's own may not.
///
/// Shared. A thread that was not joined runs on when its object goes.
package final class WorkerThread: Sendable {
    private let thread: UInt64
    private let isJoined = Mutex(false)

    /// Starts a thread that runs `body` and ends.
    ///
    /// Of `name`, which debuggers and `top` show, the first 15 bytes count. `stackByteCount` is raised to
    /// what the system needs, and to whole pages.
    package init(
        name: String, stackByteCount: Int = 512 << 10, _ body: @escaping @Sendable () -> Void
    ) throws(LinuxError) {
        let box = unsafe Unmanaged.passRetained(ThreadBody(body))
        var thread: UInt64 = 0
        let result = unsafe coffer_thread_start(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            }, box.toOpaque(), name, stackByteCount, &thread)
        if result < 0 { unsafe box.release() }
        try check(result, "pthread_create")
        self.thread = thread
    }

    deinit {
        if !isJoined.withLock({ $0 }) { _ = coffer_thread_detach(thread) }
    }

    /// Waits until the thread has ended; a second call returns at once.
    package func join() {
        let wasJoined = isJoined.withLock { joined in
            defer { joined = true }
            return joined
        }
        if !wasJoined { _ = coffer_thread_join(thread) }
    }

    /// The system's number of the thread that asks.
    package static var currentNumber: Int { Int(coffer_thread_number()) }

    /// Whether the thread that asks is the one that the process started with.
    package static var isMain: Bool { coffer_thread_number() == getpid() }

    /// The name of the thread that asks.
    package static var currentName: String {
        var name = [CChar](repeating: 0, count: 16)
        unsafe name.withUnsafeMutableBufferPointer { unsafe coffer_thread_name($0.baseAddress, $0.count) }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Carries a closure through the one pointer that a thread starts with.
private final class ThreadBody: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func run() { body() }
}
