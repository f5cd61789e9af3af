/// Where the way of a large value into its store has come to.
package enum ExternalStep: Sendable {
    /// It is written where values wait.
    case staged
    /// It is durable and has its place, and COMMIT was not called.
    case published
    /// COMMIT has returned, and the value still waits as well.
    case committed
}

#if DEBUG
extension StoreWriter {
    /// Tells `body` of each step of a large value's way into the store, for tests that end the process there.
    package func onExternalStep(_ body: @escaping (ExternalStep) -> Void) { external?.onStep = body }
}
#endif
