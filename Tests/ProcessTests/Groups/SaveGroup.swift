import CofferLinux
import CofferSQLite
import TestSupport
import Testing

/// Client processes whose saves are gathered into one commit by a disk that takes its time with the commit
/// before.
///
/// Confined.
struct SaveGroup {
    /// Whose save the others wait for.
    static let leader = 99

    let service: ServiceUnderTest
    let disk: FaultyDisk
    let members: [ClientProcess]
    private let leader: ClientProcess

    /// Starts `count` clients of a store, and one more that has saved once: so the log has begun, which costs
    /// a flush of its own.
    ///
    /// The store's pages do not fit into its cache if a client writes much at once.
    init(_ count: Int, _ service: ServiceUnderTest, _ disk: FaultyDisk) throws {
        self.service = service
        self.disk = disk
        leader = try ClientProcess(service, name: "leader", cachePages: 60)
        members = try (0..<count).map {
            try ClientProcess(service, name: "member \($0)", cachePages: 60)
        }
        try insert(0, "", by: Self.leader, leader)
        try leader.save()
    }

    /// New entries of one member, which it does not save yet.
    func insert(_ count: Int, byteCount: Int, by member: Int) throws {
        let body = String(repeating: "x", count: byteCount)
        for sequence in 0..<count { try insert(sequence, body, by: member, members[member]) }
    }

    private func insert(_ sequence: Int, _ body: String, by writer: Int, _ client: ClientProcess) throws {
        try client.ask(
            "insert", ["as": "it", "writer": "\(writer)", "sequence": "\(sequence)", "body": body])
    }

    /// Lets all members save, in order, while the leader's commit is held; it goes on when `fault` is
    /// injected, then they share the next.
    ///
    /// - Returns: The numbers of the leader's transactions, with the writer of each.
    func save(meeting fault: SQLiteFault) throws -> [Int: Int] {
        let held = try disk.inject(SQLiteFault(.hold, at: .sync, on: .wal)) + 1
        try insert(1, "", by: Self.leader, leader)
        try leader.post("save")
        try waitUntil("the leader's commit is held") { try disk.faultCount() == held }
        #expect(try counter("WaitingSaves") == 0, "the leader's own commit is the one that is held")
        let commits = try counter("Commits")
        for (member, client) in members.enumerated() {
            try client.post("save")
            try waitUntil("\(member + 1) saves wait") { try counter("WaitingSaves") == member + 1 }
        }
        #expect(try counter("Commits") == commits, "nothing is committed before all of them wait")
        #expect(try disk.inject(fault) == held)
        let number = try leader.number()
        return [number - 1: Self.leader, number: Self.leader]
    }

    /// Ends all clients.
    func end() throws {
        for client in members + [leader] { #expect(try client.end() == .code(0)) }
    }

    /// A counter of the store.
    func counter(_ name: String) throws -> Int { try service.counter(name) }
}

/// Lends a group of `count` clients over a service whose disk can be made to fail.
func withSaveGroup(_ count: Int, _ body: (SaveGroup) throws -> Void) throws {
    try withService { service in
        let disk = try FaultyDisk(service)
        try body(try SaveGroup(count, service, disk))
    }
}
