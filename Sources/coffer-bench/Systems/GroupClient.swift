/// A client that changes all contacts that it holds at once, and sees others do so.
protocol GroupClient: ContactClient {
    /// Changes one attribute of all held contacts, in one durable transaction.
    func setCityOfAll(_ city: String) throws

    /// Waits until all held contacts have one city, another than `city`, reads it from each of them, and
    /// gives it.
    ///
    /// Call `watch()` first.
    func nextCityOfAll(after city: String) throws -> String
}
