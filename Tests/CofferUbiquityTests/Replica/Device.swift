import Coffer
import CofferContainer
import CofferCoordination
import CofferEmbedded
import CofferLinux
import CofferMerge
import CofferModel
import CofferStores
import CofferUbiquity
import ContextSupport
import TestSupport
import Testing

/// A store on one machine, which others share by a folder: its work is done when a test says so.
final class Device {
    static let application = "org.example.UbiquitySignals"
    let folder: String
    let store: PersistentStore
    let work: UbiquityWork
    private let signals = UbiquitySignals()
    private let coordinator: EmbeddedCoordinator
    private let all = ConditionLock<[UbiquityStatus]>([])
    private let meanwhile = ConditionLock<(@Sendable (ManagedObjectContext) -> Void)?>(nil)
    private let prepared = ConditionLock<(@Sendable (ManagedObjectContext) -> Void)?>(nil)

    /// The device whose store is in `folder`, and whose container is in `root`.
    init(
        _ model: ManagedObjectModel, in folder: String, sharing root: String, clock: TestClock,
        options: StoreOptions = StoreOptions(), rules: ExchangeRules = ExchangeRules(),
        over wrap: (FolderCarrier) -> any ContainerCarrier = { $0 }
    ) throws {
        self.folder = folder
        let file = try StoreFile.open(
            in: try Folder.make(at: folder), fileName: "Store.sqlite", model: StoreModel(model),
            options: options)
        store = try PersistentStore(file: file)
        coordinator = EmbeddedCoordinator(model: model, application: Self.application)
        coordinator.add(store, name: "Store")
        let carrier = wrap(try FolderCarrier(root: root, path: "\(Self.application)/Store"))
        var environment = UbiquitousStore.Environment { clock.now() }
        environment.quiet = .zero
        environment.didShow = { [signals, all, coordinator, meanwhile] in
            all.withLock { $0.append(signals.status) }
            meanwhile.withLock { $0 }?(ManagedObjectContext(coordinator: coordinator))
        }
        environment.didPrepare = { [coordinator, prepared] in
            prepared.withLock { $0 }?(ManagedObjectContext(coordinator: coordinator))
        }
        environment.rules = rules
        work = UbiquityWork(store, over: carrier, in: environment, signals)
    }

    /// A new context.
    func context() -> ManagedObjectContext { ManagedObjectContext(coordinator: coordinator) }

    /// Makes contexts on other threads.
    var maker: @Sendable () -> ManagedObjectContext {
        { [coordinator] in ManagedObjectContext(coordinator: coordinator) }
    }

    /// Has `body` called whenever a step of the work was shown, with a new context.
    func whenShown(_ body: (@Sendable (ManagedObjectContext) -> Void)?) { meanwhile.withLock { $0 = body } }

    /// Has `body` called whenever many changes were folded and are not written yet, with a new context.
    func whenPrepared(_ body: (@Sendable (ManagedObjectContext) -> Void)?) {
        prepared.withLock { $0 = body }
    }

    /// Does the work, whatever comes of it.
    ///
    /// - Returns: How soon it is to be tried again.
    func tryRunning() -> Duration? { work.run() }

    /// Does the work; fails the test if it failed.
    func run() {
        work.run()
        #expect(status.failure == nil)
    }

    var status: UbiquityStatus { signals.status }

    /// Each status that was shown.
    var shown: [UbiquityStatus] { all.withLock { $0 } }

    func close() throws { try store.close() }
}

/// A clock that goes on by a second each time that it is read.
final class TestClock: Sendable {
    private let seconds = ConditionLock<Int64>(1_800_000_000)

    func now() -> WallTime {
        seconds.withLock {
            $0 += 1
            return WallTime(microseconds: $0 * 1_000_000)
        }
    }

    /// Lets days pass.
    func pass(days: Int64) { seconds.withLock { $0 += days * 86_400 } }
}

/// A value as text, with all its bytes.
private func whole(_ value: AttributeValue) -> String {
    if case .binary(let bytes) = value { "\(bytes)" } else { "\(value)" }
}

/// What the objects of a store hold, whatever their keys are: an object by its name.
func contents(of device: Device, _ entities: [String] = ["Person", "Team", "Tag"]) throws -> [String] {
    let context = device.context()
    var lines: [String] = []
    for entity in entities {
        for object in try context.all(entity) {
            var line = "\(entity) \(object["name"])"
            for attribute in object.entity.attributes where attribute.name != "name" {
                line += " \(attribute.name)=\(whole(object[attribute.name]))"
            }
            for relationship in object.entity.relationships {
                let names = object.objects(forKey: relationship.name).map { "\($0["name"])" }
                let isOrdered = relationship.definition.isOrdered
                line += " \(relationship.name)=\(isOrdered ? names : names.sorted())"
            }
            lines.append(line)
        }
    }
    return lines.sorted()
}

/// People in teams, with tags.
func teams() throws -> ManagedObjectModel {
    try ManagedObjectModel {
        Entity("Person") {
            Field("name", .string)
            Field("mail", .string).optional()
            Field("age", .integer32).default(0)
            One("team", "Team", inverse: "people").optional()
            One("partner", "Person", inverse: "partner").optional()
            Many("tags", "Tag", inverse: "people")
        }
        Entity("Team") {
            Field("name", .string)
            Field("code", .string).optional()
            Many("people", "Person", inverse: "team", deleteRule: .cascade, ordered: true)
            Unique("code")
        }
        Entity("Tag") {
            Field("name", .string)
            Many("people", "Person", inverse: "tags")
        }
    }
}
