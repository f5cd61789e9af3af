/// The replies that say nothing but that it is done: `coffer.v1.CloseStoreReply`, `RemoveStoreReply`,
/// `ReleaseReply`.
package struct EmptyMessage: Sendable, Equatable {
    /// The message.
    package init() {}
}
