/// How soon something that failed is tried again: each time later, until it succeeds.
struct RetryPause: Sendable {
    /// How many times in a row it failed.
    private var failureCount = 0

    /// Notes how an attempt ended.
    ///
    /// - Parameters:
    ///   - hasFailed: Whether it is to be tried again.
    ///   - first: The pause after the first failure; it is doubled after each that follows.
    ///   - longest: How long it is waited at most.
    /// - Returns: The pause; `nil` if it has not failed.
    mutating func note(hasFailed: Bool, first: Duration, longest: Duration) -> Duration? {
        guard hasFailed else {
            failureCount = 0
            return nil
        }
        defer { failureCount += 1 }
        return min(first * (1 << min(failureCount, 20)), longest)
    }
}
