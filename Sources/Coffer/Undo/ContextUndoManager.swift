/// What was done in a context, to be undone and done again.
///
/// Confined with its context, which has one once `ManagedObjectContext.undoManager` is set. What happens
/// within one event is one step: one `perform`, one turn of the main actor, or what lies between two calls of
/// `processPendingChanges()`; and what lies between `beginGrouping()` and `endGrouping()`.
///
/// Undone are insertions, deletions (with their values), values, and both sides of relationships; never what
/// others saved. Steps outlive a save: undoing one then makes changes for the next save. An object whose
/// deletion was saved comes back under a new id. Unlike in Core Data, a step whose object was deleted
/// elsewhere meanwhile is left out, and is never an error; nor does a step bring a reference to such an
/// object back.
///
/// ```swift
/// context.undoManager = ContextUndoManager(levelsOfUndo: 100)
/// note.title = "Milk"
/// context.processPendingChanges()  // Ends the step; the main actor does so at the end of each turn.
/// note.title = "Bread"
/// context.undo()                   // The title is "Milk" again.
/// context.redo()
/// ```
public final class ContextUndoManager {
    /// How many steps are kept, the latest; 0 for all.
    public var levelsOfUndo: Int {
        didSet { trim() }
    }

    /// Ended steps, the latest last.
    private(set) var undoSteps: [[UndoOperation]] = []
    private(set) var redoSteps: [[UndoOperation]] = []
    /// What was done since the last step ended.
    private var open: [UndoOperation] = []
    private var depth = 0
    /// Whether operations are noted at present.
    private(set) var isRecording = true

    /// A manager that keeps so many steps; 0 for all.
    public init(levelsOfUndo: Int = 0) {
        self.levelsOfUndo = levelsOfUndo
    }

    /// Whether there is something to undo.
    public var canUndo: Bool { !open.isEmpty || !undoSteps.isEmpty }

    /// Whether there is something to do again.
    public var canRedo: Bool { open.isEmpty && !redoSteps.isEmpty }

    /// How many steps can be undone.
    public var undoCount: Int { undoSteps.count + (open.isEmpty ? 0 : 1) }

    /// Makes all that happens until `endGrouping()` one step; groups nest, and the outermost counts.
    public func beginGrouping() {
        if depth == 0 { closeStep() }
        depth += 1
    }

    /// Ends what `beginGrouping()` began.
    ///
    /// - Precondition: A group was begun.
    public func endGrouping() {
        precondition(depth > 0, "no group was begun")
        depth -= 1
        if depth == 0 { closeStep() }
    }

    /// Forgets all steps.
    public func removeAllActions() {
        undoSteps = []
        redoSteps = []
        open = []
    }

    /// Does what is not to be undone.
    ///
    /// - Throws: What `body` throws, and nothing else.
    public func withoutRecording<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let wasRecording = isRecording
        isRecording = false
        defer { isRecording = wasRecording }
        return try body()
    }
}

extension ContextUndoManager {
    /// Notes an operation; says whether it is the first of a step.
    func note(_ operation: UndoOperation) -> Bool {
        guard isRecording else { return false }
        redoSteps = []
        open.append(operation)
        return open.count == 1
    }

    /// Ends a step, unless a group is open.
    func endEvent() {
        if depth == 0 { closeStep() }
    }

    /// What was done since the last step ended, in order.
    var currentOperations: [UndoOperation] { open }

    private func closeStep() {
        guard !open.isEmpty else { return }
        undoSteps.append(open)
        open = []
        trim()
    }

    private func trim() {
        guard levelsOfUndo > 0, undoSteps.count > levelsOfUndo else { return }
        undoSteps.removeFirst(undoSteps.count - levelsOfUndo)
    }

    /// The step to undo, which can be done again afterwards.
    func takeUndo() -> [UndoOperation]? {
        closeStep()
        guard let step = undoSteps.popLast() else { return nil }
        redoSteps.append(step)
        return step
    }

    /// The step to do again, which can be undone afterwards.
    func takeRedo() -> [UndoOperation]? {
        guard open.isEmpty, let step = redoSteps.popLast() else { return nil }
        undoSteps.append(step)
        return step
    }

    /// Keeps steps from bringing references back to objects that were deleted elsewhere; those that a step
    /// deleted may come back with it.
    func forget(_ gone: Set<ObjectReference>) {
        let steps = [undoSteps, redoSteps, [open]].joined().joined()
        let own = steps.compactMap { operation in
            if case .deletion(_, let contents, _) = operation { contents.reference } else { nil }
        }
        let gone = gone.subtracting(own)
        if gone.isEmpty { return }
        func rest(_ step: [UndoOperation]) -> [UndoOperation] { step.compactMap { $0.without(gone) } }
        undoSteps = undoSteps.map(rest).filter { !$0.isEmpty }
        redoSteps = redoSteps.map(rest).filter { !$0.isEmpty }
        open = rest(open)
    }

    /// Replaces references to objects by their new ones.
    func rename(_ name: (ObjectReference) -> ObjectReference) {
        func renamed(_ step: [UndoOperation]) -> [UndoOperation] { step.map { $0.renamed(name) } }
        undoSteps = undoSteps.map(renamed)
        redoSteps = redoSteps.map(renamed)
        open = renamed(open)
    }
}
