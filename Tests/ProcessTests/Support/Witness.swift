import CofferLinux
import CofferService
import CofferWire
import Testing

/// A service with one client that behaves, which must notice nothing of what others do.
///
/// When `body` ends: the witness and a new client are served, by the process of before, and the store is
/// whole.
func withWitness(_ body: (ServiceUnderTest, RawClient, OpenNotes) throws -> Void) throws {
    try withService { service in try expectUnnoticed(service, body) }
}

/// A service with a witness, whose disk takes its time when it is told so.
func withWitnessOfSlowDisk(_ body: (ServiceUnderTest, FaultyDisk, RawClient, OpenNotes) throws -> Void) throws
{
    try withService { service in
        let disk = try FaultyDisk(service)
        try expectUnnoticed(service) { try body($0, disk, $1, $2) }
    }
}

private func expectUnnoticed(
    _ service: ServiceUnderTest, _ body: (ServiceUnderTest, RawClient, OpenNotes) throws -> Void
) throws {
    let witness = try service.channel()
    let store = try witness.open()
    try witness.insert(["Milk"], into: store)
    let pid = try #require(try service.pid())
    try body(service, witness, store)
    #expect(try witness.count(store) >= 1)
    let list: ListStoresReplyMessage = try service.channel().call(.listStores, ListStoresRequestMessage())
    #expect(list.stores.contains { $0.name.name == "Notes" })
    #expect(try service.pid() == pid, "the service must not have died")
    #expect(try service.integrity(of: Notes.path("Notes", user: CurrentProcess.userID)) == [])
}
