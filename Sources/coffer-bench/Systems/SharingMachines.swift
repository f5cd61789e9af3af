import Coffer
import CofferLinux

/// Two machines, each with a bus and a service of its own, whose stores a folder carries.
///
/// Confined. `stop()` ends both.
final class SharingMachines {
    /// A store that one machine has for itself.
    static let plain = "plain"
    /// A store that both share.
    static let shared = "shared"
    private static let account = "bench"
    private static let patience = Duration.seconds(300)

    enum Machine: String, CaseIterable {
        case one, other
    }

    private let buses: [Machine: BenchBus]
    private let connections: [Machine: ServiceConnection]
    private let folder: Folder
    private let container: String

    /// Starts two machines in a new folder of a world.
    init(in world: World) throws {
        folder = try world.newFolder()
        let root = try folder.makeFolders("synced")
        container = "\(root.path)/\(ContactModel.application)/\(Self.shared)"
        var buses: [Machine: BenchBus] = [:]
        var connections: [Machine: ServiceConnection] = [:]
        for machine in Machine.allCases {
            let bus = try BenchBus(folder: folder.makeFolders(machine.rawValue), cofferd: world.cofferd)
            let connection = try ServiceConnection(
                application: ContactModel.application, bus: .explicit(bus.address))
            try connection.signIn(as: Self.account, at: root.path)
            (buses[machine], connections[machine]) = (bus, connection)
        }
        (self.buses, self.connections) = (buses, connections)
    }

    func stop() { for bus in buses.values { bus.stop() } }

    /// A client of a store on one machine.
    func open(_ store: String, on machine: Machine) throws -> ContextClient {
        try open(store, on: machine, shared: store == Self.shared)
    }

    /// A client of a store on one machine, which is shared under its name or not at all.
    func open(_ store: String, on machine: Machine, shared isShared: Bool) throws -> ContextClient {
        try ContextClient(
            try PersistentContainer(
                name: store, model: ContactModel.make(), application: ContactModel.application,
                stores: [
                    StoreDescription(name: store, ubiquitousContentName: isShared ? store : nil)
                ], bus: .explicit(buses[machine]?.address ?? "")))
    }

    /// Does something while the folder is away.
    func withoutFolder(_ body: () throws -> Void) throws {
        try folder.rename("synced", to: "synced-away")
        // Without the folder the steps that follow fail, and say so.
        defer { try? folder.rename("synced-away", to: "synced") }
        try body()
    }

    /// The bytes of a store's file on the first machine, with what its log will bring.
    func byteCount(of store: String) throws -> Int {
        guard let bus = buses[.one] else { return 0 }
        return try Int(bus.counter("FileSize", ofStore: store) + bus.counter("LogSize", ofStore: store))
    }

    /// The digest of what the first machine has.
    func digest() throws -> String { try status(of: .one)?.digest ?? "" }

    /// Waits until what was saved on the first machine since it had a digest is in the folder.
    func waitUntilExported(objectCount: Int, changedFrom digest: String = "") throws {
        try wait("the export") {
            guard let status = try self.status(of: .one) else { return false }
            return status.objectCount == UInt64(objectCount) && status.unwrittenFoldCount == 0
                && status.condition == "there" && status.digest != digest
        }
    }

    /// Waits until both machines have the same, and another digest.
    func waitUntilEqual(objectCount: Int, changedFrom digest: String = "") throws {
        try wait("the other machine") {
            guard let one = try self.status(of: .one), one.digest != digest else { return false }
            return try one.objectCount == UInt64(objectCount) && one.unwrittenFoldCount == 0
                && one.digest == self.status(of: .other)?.digest
        }
    }

    /// The bytes of the smallest object that changes put into the folder, one after the other.
    func smallestObject(of count: Int, _ change: (Int) throws -> Void) throws -> Double {
        let store = try Folder(at: container)
        var smallest = Int.max
        for number in 0..<count {
            let before = Set(try store.names())
            try change(number)
            for name in try store.names() where !before.contains(name) {
                smallest = min(smallest, try store.facts(of: name)?.byteCount ?? Int.max)
            }
        }
        return Double(smallest)
    }

    /// The names of the objects in the folder.
    func objects() throws -> Set<String> { Set(try Folder(at: container).names()) }

    /// Waits until the folder has an object that it did not have, without asking a service.
    func waitUntilPut(besides objects: Set<String>) throws {
        try wait("an object in the folder") { try !self.objects().isSubset(of: objects) }
    }

    /// What the processor has done in the service of the first machine, in ticks.
    func processorTicks() throws -> Int {
        guard let pid = try buses[.one]?.servicePID() else { throw BenchError.worker("the service is gone") }
        let activity = try ProcessFacts.activity(of: pid)
        return activity.userTicks + activity.systemTicks
    }

    private func status(of machine: Machine) throws -> UbiquitousStoreStatus? {
        try connections[machine]?.ubiquitousStores().first
    }

    private func wait(_ what: String, until isSo: () throws -> Bool) throws {
        let deadline = Monotonic.now + Self.patience.wholeNanoseconds
        while try !isSo() {
            guard Monotonic.now < deadline else { throw BenchError.worker("waited in vain for \(what)") }
            Monotonic.sleep(.milliseconds(1))
        }
    }
}
