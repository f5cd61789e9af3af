import Coffer
import CofferLinux
import CofferModel
import ContextSupport
import Testing

@Suite struct MemoryStoreTests {
    @Test(arguments: Backing.overFiles)
    func `a store in memory is shared by contexts, and writes no file where stores are`(
        on backing: Backing
    ) throws {
        try withContainerAndFolder(Garage.model(), type: .memory, on: backing) { container, folder in
            let (mine, theirs) = (container.newContext(), container.newContext())
            try mine.make("Person", ["name": "Ann"])
            try mine.save()
            let people = try theirs.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            #expect(people.map { $0["name"] } == ["Ann"])
            #expect(try mine.fetchHistory().map(\.number) == [1])
            let names: [String]
            do throws(LinuxError) {
                names = try Folder(at: folder).names()
            } catch {
                names = []
                #expect(error.isNotFound)
            }
            #expect(names.isEmpty)
        }
    }

    @Test(arguments: Backing.overFiles)
    func `a store in memory that must exist is not created`(on backing: Backing) throws {
        let gone = StoreDescription(name: "Gone", mustExist: true, type: .memory)
        try backing.withContainers(Garage.model(), stores: [gone]) { make, _ in
            let container = try make()
            let refusal = #expect(throws: CofferError.self) { try container.loadStores() }
            guard case .refused(_, let reason, _, _)? = refusal else {
                return #expect(Bool(false), "\(refusal as Any)")
            }
            #expect(reason == (backing == .service ? "no_such_store" : "no_store"))
        }
    }

    @Test func `containers over the service share a store in memory by its name`() throws {
        let store = StoreDescription(name: "Test", type: .memory)
        try Backing.service.withContainers(Garage.model(), stores: [store]) { make, _ in
            let (one, other) = (try make(), try make())
            try one.loadStores()
            try other.loadStores()
            let context = one.newContext()
            try context.make("Person", ["name": "Ann"])
            try context.save()
            let people = FetchRequest<ManagedObject>(entityName: "Person")
            #expect(try other.newContext().fetch(people).map { $0["name"] } == ["Ann"])
        }
    }
}
