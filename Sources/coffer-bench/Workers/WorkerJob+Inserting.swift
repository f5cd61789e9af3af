import CofferLinux

extension WorkerJob {
    /// Contacts of one durable transaction.
    static let batchSize = 500

    /// Inserts all contacts; what makes them and opens the store does not count.
    func insert() throws {
        let contacts = (0..<objectCount).map(ContactGenerator.contact)
        let client = try open()
        let start = Monotonic.now
        for first in stride(from: 0, to: contacts.count, by: Self.batchSize) {
            try client.insert(contacts[first..<min(first + Self.batchSize, contacts.count)])
        }
        let seconds = Double(Monotonic.now - start) / 1e9
        try link.report(.objectsPerSecond, Double(contacts.count) / seconds)
    }
}
