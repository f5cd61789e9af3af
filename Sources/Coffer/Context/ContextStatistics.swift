/// What a context asked of its stores, counted.
public struct ContextStatistics: Sendable, Equatable {
    /// Fetch requests, of all kinds.
    public var fetches = 0
    /// Requests for rows by id.
    public var faultsFired = 0
    /// Requests for the members of a to-many relationship.
    public var relationshipsLoaded = 0
    /// Requests to save.
    public var saves = 0
    /// Transactions of others that were merged.
    public var merges = 0

    /// All requests that were answered by a coordinator.
    public var roundTrips: Int { fetches + faultsFired + relationshipsLoaded + saves }
}
