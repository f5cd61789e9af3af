/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Faults that are read in one round trip: more costs the first reader time, fewer the others round trips.
    static let faultBatch = 200
    /// Events that wait for a context; past it the context reads again what it has, which costs about as much.
    static let waitingEvents = 1_000
    /// Notifications that wait for one reader of a stream; the oldest are dropped past it.
    static let waitingNotifications = 1_000
    /// How often objects may change further objects in `willSave` before they are saved as they are.
    static let willSaveRounds = 100
    /// Ids of new objects that random bytes are asked for at a time: two pages.
    static let identifierBlock = 512
    /// Keys of one release message.
    static let releaseBatch = 4_096
}
