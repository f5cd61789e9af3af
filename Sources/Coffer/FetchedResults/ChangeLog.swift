/// What changed in a context since its watchers were told last, by references.
struct LoggedChanges {
    /// Objects whose contents or standing changed here; kept until they were told of.
    var touched: [ObjectReference: ManagedObject] = [:]
    /// What others changed: the properties of each object, an empty set if they are not known.
    var updated: [ObjectReference: Set<Int>] = [:]
    /// What others inserted.
    var appeared: Set<ObjectReference> = []
    /// What was deleted in a store.
    var vanished: Set<ObjectReference> = []
    /// What objects are called from now on.
    var renamed: [ObjectReference: ObjectReference] = [:]
    /// Anything may have changed.
    var isReload = false

    var isEmpty: Bool {
        touched.isEmpty && updated.isEmpty && appeared.isEmpty && vanished.isEmpty && renamed.isEmpty
            && !isReload
    }

    /// All that is named, by what it is called now.
    var references: Set<ObjectReference> {
        let named = Set(touched.keys).union(updated.keys).union(appeared).union(vanished)
        return Set(named.map { renamed[$0] ?? $0 }).union(renamed.values)
    }
}

/// Notes what changes in a context that is watched; a context without watchers has no log.
///
/// Confined with the context.
final class ChangeLog {
    private var changes = LoggedChanges()
    private var watchers: [Int: (LoggedChanges) -> Void] = [:]
    private var lastWatcher = 0
    private var isTelling = false
    /// Whether changes wait: a save tells of them once, under their permanent names.
    var isHeld = false

    /// Asks the context's actor to come to what changed.
    private let wake: () -> Void

    init(wake: @escaping () -> Void) {
        self.wake = wake
    }

    func touch(_ object: ManagedObject) {
        let isFirst = changes.isEmpty && !isTelling
        changes.touched[object.reference] = object
        if isFirst { wake() }
    }

    func noteUpdate(_ reference: ObjectReference, _ slots: [Int]) {
        let known = changes.updated[reference]
        changes.updated[reference] =
            slots.isEmpty || known?.isEmpty ?? false ? [] : (known ?? []).union(slots)
    }

    func noteInsertion(_ reference: ObjectReference) { changes.appeared.insert(reference) }

    func noteDeletion(_ reference: ObjectReference) { changes.vanished.insert(reference) }

    func noteName(_ old: ObjectReference, _ new: ObjectReference) {
        // A permanent name that is given up is perhaps one of this very event.
        if !old.isUnsaved { changes.renamed = changes.renamed.mapValues { $0 == old ? new : $0 } }
        changes.renamed[old] = new
    }

    func noteReload() { changes.isReload = true }

    fileprivate func add(_ watcher: @escaping (LoggedChanges) -> Void) -> Int {
        lastWatcher += 1
        watchers[lastWatcher] = watcher
        return lastWatcher
    }

    fileprivate func remove(_ number: Int) -> Bool {
        watchers[number] = nil
        return watchers.isEmpty
    }

    /// Tells all watchers; what they change meanwhile is told of too, so many times as `Limits` says.
    fileprivate func tell() {
        guard !isTelling, !isHeld else { return }
        isTelling = true
        defer { isTelling = false }
        for _ in 0..<Limits.watcherRounds where !changes.isEmpty {
            let told = changes
            changes = LoggedChanges()
            for number in watchers.keys.sorted() { watchers[number]?(told) }
        }
    }
}

extension ManagedObjectContext {
    /// Calls `watcher` with what changed, at the end of each event, merge and save, until it is removed.
    func addWatcher(_ watcher: @escaping (LoggedChanges) -> Void) -> Int {
        let log = registry.changeLog ?? ChangeLog { [mailbox] in mailbox.wake() }
        registry.changeLog = log
        return log.add(watcher)
    }

    /// Stops calling a watcher.
    func removeWatcher(_ number: Int) {
        if registry.changeLog?.remove(number) ?? false { registry.changeLog = nil }
    }

    /// Tells watchers what changed since they were told last.
    func tellWatchers() { registry.changeLog?.tell() }
}
