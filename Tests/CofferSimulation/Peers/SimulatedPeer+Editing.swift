internal import CofferMerge

extension SimulatedPeer {
    /// Makes a user save something.
    ///
    /// - Parameters:
    ///   - kind: What is done.
    ///   - event: The step; what it inserts is named by its place.
    ///   - schedule: Says of which entities objects are inserted.
    ///   - time: In microseconds.
    ///   - draw: Chooses the rest.
    /// - Returns: What was saved; `nil` if there is nothing to do it to, or a store would refuse it.
    mutating func edit(
        _ kind: EditKind, in event: Schedule.Event, of schedule: Schedule, at time: Int64, _ draw: inout Draw
    ) -> Save? {
        let fresh = RecordID(high: UInt64(1 + draw.below(255)), low: UInt64(event.place + 1))
        var user = User(
            draw: draw, model: replica.model, kind: schedule.model, entities: schedule.entities)
        user.isMigrated = isMigrated
        // A world stays small, so that edits meet.
        let kind = kind == .insert && rows.objects.count > 9 ? .attribute : kind
        guard let save = user.edit(kind, rows, fresh: fresh, returning: returning) else { return nil }
        take(save, at: time)
        return save
    }
}
