package import CofferLinux

/// A context of its own, with a thread of its own, where blocking harms nobody.
///
/// ```swift
/// try await background.perform { context in
///     context.insert(Note.self).title = "Milk"
///     try context.save()
/// }
/// ```
///
/// What others save is merged when it arrives, unless the context's `automaticallyMergesChanges` is false.
public actor BackgroundContext {
    private nonisolated let executor: ThreadExecutor
    private let context: ManagedObjectContext

    /// The context's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A context over the stores of `coordinator`; `name` is that of the thread too.
    package init(coordinator: any StoreCoordinator, name: String = "", author: String = "") throws(LinuxError)
    {
        executor = try ThreadExecutor(name: name.isEmpty ? "coffer-context" : name)
        let context = ManagedObjectContext(coordinator: coordinator, name: name, author: author)
        let mailbox = context.mailbox
        self.context = context
        mailbox.wakeUp = { [weak self] in
            guard let self else { return }
            Task { await self.mergeArrivals() }
        }
    }

    /// Does something with the context on its thread, alone.
    ///
    /// Objects stay inside: hand out ids and values. What others saved is merged before.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async rethrows -> Result {
        mergeArrivals()
        return try body(context)
    }

    private func mergeArrivals() {
        if context.automaticallyMergesChanges { context.mergePendingChanges() }
    }
}
