import CofferLinux

/// A place where one thread leaves a value that another waits for.
///
/// Shared.
final class Promise<Value: Sendable>: Sendable {
    private let value = ConditionLock<Value?>(nil)

    /// Leaves the value.
    func put(_ new: Value) {
        value.withLock { $0 = new }
        value.broadcast()
    }

    /// Waits for the value; every later call returns it at once.
    func wait() -> Value { value.wait { $0 } }
}
