import Glibc
import Synchronization

/// A place where one thread leaves a value that another waits for.
///
/// Shared: a mutex around the value, and a semaphore that is never copied.
@safe final class Handoff<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    // sem_post and sem_wait are atomic.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe semaphore.initialize(to: sem_t())
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Leaves the value; to be called once.
    func put(_ new: Value) {
        value.withLock { $0 = new }
        unsafe sem_post(semaphore)
    }

    /// Waits for the value and takes it; to be called once.
    func take() -> Value? {
        while unsafe sem_wait(semaphore) != 0 && errno == EINTR {}
        return value.withLock { $0.take() }
    }
}
