/// Brings the leader of a store's commits saves that were not handed in yet.
///
/// To wake a thread for each save costs more than the thread does with it: the leader may look for the next
/// ones itself.
package protocol SaveSource: AnyObject, Sendable {
    /// Hands in what has come; called by the leader, between saves, and must not block.
    func poll()
    /// Waits a moment for the next save of the clients that were answered just now; says whether to go on.
    ///
    /// `true` if a save has come, or it is not `isIdle` any more; `false` at once if none is to be
    /// expected.
    func spinForNext(while isIdle: () -> Bool) -> Bool
    /// The leader does not gather for a while: what comes is to be looked for elsewhere.
    func stopPolling()
}
