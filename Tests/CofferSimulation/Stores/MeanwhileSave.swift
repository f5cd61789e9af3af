internal import Coffer
internal import CofferEmbedded
internal import CofferMerge
internal import Synchronization

/// A save that an application makes while the work on its store is under way.
///
/// Shared, by a lock.
final class MeanwhileSave: Sendable {
    private struct State {
        var edit: StoredEdit?
        var saved: [LocalEdit.Change] = []
    }

    private let coordinator: EmbeddedCoordinator
    private let state = Mutex(State())

    init(_ coordinator: EmbeddedCoordinator) { self.coordinator = coordinator }

    /// Prepares an edit that is saved when something of the work is shown next; `nil`: none.
    func prepare(_ edit: StoredEdit?) { state.withLock { $0 = State(edit: edit) } }

    /// The attributes that were saved otherwise than they were, since an edit was prepared.
    var saved: [LocalEdit.Change] { state.withLock { $0.saved } }

    /// Saves what was prepared; if others' changes came before it, it may not fit any more.
    func make() {
        guard let edit = state.withLock({ $0.edit.take() }) else { return }
        do {
            let context = ManagedObjectContext(coordinator: coordinator)
            let changes = try edit.settingAnew(in: context)
            try edit.make(in: context, bringingBack: nil)
            try context.save()
            state.withLock { $0.saved = changes }
        } catch {}  // What became of the file is looked at afterwards, whatever came of this.
    }
}
