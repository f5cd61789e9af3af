import CofferModel

/// The objects that fit a request, in sections, kept right while they change here, in other contexts and in
/// other processes.
///
/// Confined with its context, which it keeps. After `performFetch()` it follows what changes: at
/// `processPendingChanges()`, at a save, and when changes of others are merged. Only what changed is judged,
/// in memory. If objects that the context has not read changed elsewhere, their rows are read in one round
/// trip, and only if a property that counts changed. Unlike in Core Data, what the predicate or order reaches
/// through relationships counts too: then, and for a request with a limit or offset, a change costs a fetch.
///
/// It keeps ids and what they are ordered by, about 100 bytes a row, and no objects. There is no cache on
/// disk: opening one would cost what the fetch does, and Core Data's goes stale whenever the request or the
/// model changes and the cache is not deleted.
///
/// Order and sections follow `QuerySort` as it is judged in memory: without the rules of a locale. Rows that
/// are alike come by section, then by age. A store that is opened with `Announcements.readObjects` tells
/// nothing of what others insert, or change of objects that this process has not read: controllers need
/// `.all`.
///
/// ```swift
/// let request = FetchRequest<Note>().sorted(by: "folder.name").sorted(by: "title")
/// let controller = try FetchedResultsController(request, sectionedBy: "folder.name", in: context)
/// try controller.performFetch()
/// for section in controller.sections { print(section.name, section.count) }
/// for await event in controller.events { print(event) }
/// ```
public final class FetchedResultsController<Object: ManagedObject> {
    /// What is fetched; a change counts from the next `performFetch()` on.
    public var request: FetchRequest<Object>
    /// The key path whose values, as text, name the sections; names joined by dots, `nil` for a single
    /// section.
    public let sectionKeyPath: String?
    /// The context that the objects belong to.
    public let context: ManagedObjectContext
    /// Called with each part of a change, on the context's actor.
    public var onEvent: ((FetchedResultsEvent) -> Void)?
    /// Why changes could not be followed; `nil` once they could again.
    public internal(set) var lastError: CofferError?

    var plan: ResultPlan?
    var rows = ResultRows(sorts: [], hasSections: false)
    /// What becomes of the rows, for lists of them that were given out.
    private(set) var fate = ResultFate()
    /// Whether what was missed has to be fetched.
    var isBehind = false
    var continuations: [AsyncStream<FetchedResultsEvent>.Continuation] = []
    private var watcher: Int?

    /// A controller that has fetched nothing yet.
    ///
    /// - Throws: `CofferError.unorderedResults` if the request has no sort descriptors.
    public init(
        _ request: FetchRequest<Object>, sectionedBy sectionKeyPath: String? = nil,
        in context: ManagedObjectContext
    ) throws(CofferError) {
        self.request = request
        self.sectionKeyPath = sectionKeyPath
        self.context = context
        try Self.checkOrder(request)
    }

    private static func checkOrder(_ request: FetchRequest<Object>) throws(CofferError) {
        guard request.sortDescriptors.isEmpty else { return }
        throw .unorderedResults("A fetched results controller needs sort descriptors.")
    }

    deinit {
        if let watcher { context.removeWatcher(watcher) }
        for continuation in continuations { continuation.finish() }
    }
}

extension FetchedResultsController {
    /// Fetches, and follows changes from then on; tells no events.
    ///
    /// Blocks for a round trip for each store. Only what decides the order is fetched if that is stored in
    /// the objects themselves.
    /// - Throws: `CofferError.unorderedResults` if rows of one section would not lie together: the first sort
    ///   descriptor has to order by the section's key path, or by what that follows from. `.predicate` if a
    ///   key path does not fit the model; else as `fetch`.
    public func performFetch() throws(CofferError) {
        try Self.checkOrder(request)
        let plan = try ResultPlan(request, sectionKeyPath: sectionKeyPath, in: context)
        context.useClass(Object.self, for: plan.entity)
        let fetched = try fetchRows(plan)
        var rows = plan.emptyRows
        try rows.fill(fetched)
        self.plan = plan
        self.rows = rows
        noteDepartures()
        isBehind = false
        lastError = nil
        if watcher == nil {
            watcher = context.addWatcher { [weak self] changes in self?.follow(changes) }
        }
    }

    /// Lets lists that were given out look whether their objects were deleted.
    func noteDepartures() {
        fate.haveLeft = true
        fate = ResultFate()
    }

    func fetchRows(_ plan: ResultPlan) throws(CofferError) -> [ResultRow] {
        var request = request
        request.returnsObjectsAsFaults = false
        request.propertiesToFetch = plan.columns
        let objects = try context.fetch(request)
        try plan.checkClasses(Object.self, context)
        var rows: [ResultRow] = []
        rows.reserveCapacity(objects.count)
        for object in objects { rows.append(try plan.row(object)) }
        return rows
    }
}
