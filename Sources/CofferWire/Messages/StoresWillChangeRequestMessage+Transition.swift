extension StoresWillChangeRequestMessage {
    /// Why, if the store has a ubiquitous content name and its content follows an account.
    package var transition: StoreTransitionMessage? {
        transitionKind.map { StoreTransitionMessage(kind: $0, question: question) }
    }

    /// A question about the store of a handle.
    package init(store: UInt32, isRemoved: Bool, transition: StoreTransitionMessage? = nil) {
        self.init(
            store: store, isRemoved: isRemoved, transitionKind: transition?.kind,
            question: transition?.question ?? 0)
    }
}
