import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import ContextSupport
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// Kills its process some time after a save of it has begun.
private final class Death: Sendable {
    private let saves = Mutex(0)
    private let last: Int
    private let delay: UInt64

    init(atSave last: Int, afterMicroseconds delay: Int) {
        self.last = last
        self.delay = UInt64(delay) * 1_000
    }

    func noteSave() {
        let number = saves.withLock { saves in
            saves += 1
            return saves
        }
        guard number == last else { return }
        let end = Monotonic.now + delay
        _ = try? WorkerThread(name: "death") {
            while Monotonic.now < end {}
            try? ProcessControl.kill(CurrentProcess.id, .kill)
        }
    }
}

/// Countries in lines, and the end of the process that writes them too often.
private struct DeadlyForm: AtomicStore {
    let death: Death

    func load(_ bytes: [UInt8], model: ManagedObjectModel) throws(OwnStoreError) -> AtomicStoreGraph {
        try CountriesInCSV().load(bytes, model: model)
    }

    func save(_ graph: AtomicStoreGraph, model: ManagedObjectModel) throws(OwnStoreError) -> [UInt8] {
        death.noteSave()
        return try CountriesInCSV().save(graph, model: model)
    }

    func newReference(for object: AtomicStoreNode) throws(OwnStoreError) -> String {
        try CountriesInCSV().newReference(for: object)
    }
}

private func countries(_ folder: String, _ form: some AtomicStore) throws -> PersistentContainer {
    let container = try PersistentContainer.embedded(
        name: "Test", model: CountriesInCSV.model(), folder: folder,
        stores: [StoreDescription(name: "Test", ownType: "csv")], ownTypes: [.atomic("csv", form)])
    try container.loadStores()
    return container
}

/// Saves the same countries again and again, each time with the number of the save as their population, and
/// notes each save that has succeeded.
private func saveForEver(_ folder: String, _ death: Death) throws {
    let container = try countries(folder, DeadlyForm(death: death))
    let context = container.newContext()
    let all = try (0..<300).map { number in
        try context.make(
            "Country", ["code": .string("C\(number)"), "name": .string("Country \(number)")])
    }
    for number in 1... {
        for country in all { country["population"] = .integer(Int64(number)) }
        try context.save()
        try "\(number)".write(toFile: folder + "/saved", atomically: true, encoding: .utf8)
    }
}

/// Processes that are killed while they save into a file of an application's own form.
@Suite struct OwnStoreCrashTests {
    @Test(arguments: [0, 50, 200, 400, 700, 1_000, 1_500, 2_500, 4_000, 8_000])
    func `a process that is killed in a save leaves the old file or the whole new one`(
        microseconds: Int
    ) async throws {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let folder = place.path
        await #expect(processExitsWith: .signal(9)) {
            [folder = folder as String, microseconds = microseconds as Int] in
            try saveForEver(folder, Death(atSave: 4, afterMicroseconds: microseconds))
        }
        let saved = try #require(Int(String(contentsOfFile: folder + "/saved", encoding: .utf8)))
        let text = try String(contentsOfFile: folder + "/Test.csv", encoding: .utf8)
        let lines = text.split(separator: "\n")
        let numbers = Set(lines.map { $0.split(separator: ";").last.map(String.init) ?? "" })
        #expect(lines.count == 300 && numbers.count == 1, "all of one save")
        let found = numbers.first.flatMap { Int($0) } ?? 0
        // The first of the four made the file.
        #expect(saved >= 2 && (saved...saved + 1).contains(found))
        let container = try countries(folder, CountriesInCSV())
        let context = container.newContext()
        let country = try context.make("Country", ["code": "XX", "name": "New", "population": 1])
        try context.save()
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Country")) == 301)
        withExtendedLifetime(country) {}
    }
}
