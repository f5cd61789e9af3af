import CofferModel

/// The way from a context to the one above it.
enum ParentLink {
    /// Both belong to one actor: it is called at once, and kept.
    case direct(ManagedObjectContext)
    /// The parent belongs to another actor, which is asked through its mailbox, and does what is asked
    /// between its own work.
    case remote(ContextMailbox)

    /// Does something with the parent on its actor, and waits for it.
    ///
    /// - Throws: what `body` gives; `.unavailable` if the parent has gone, or its actor does not come to
    ///   it in time.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) -> Result<Answer, CofferError>
    ) throws(CofferError) -> Answer {
        switch self {
        case .direct(let parent):
            parent.followStores()
            return try body(parent).get()
        case .remote(let mailbox):
            return try mailbox.ask { parent in
                parent.followStores()
                return body(parent)
            }
        }
    }
}

/// What a context below another one is made from; made on the parent's actor, used on the child's.
struct ParentSeed: Sendable {
    let coordinator: any PersistentStoreCoordinator
    let tree: ContextTree
    let classes: [String: ManagedObject.Type]
    let mailbox: ContextMailbox
}

/// Runs `body`, and gives what it throws as a value.
func outcome<Answer>(_ body: () throws(CofferError) -> Answer) -> Result<Answer, CofferError> {
    do throws(CofferError) { return .success(try body()) } catch { return .failure(error) }
}
