import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel

extension WorkerJob {
    /// Does what the mapping model says.
    private final class UsualPolicy: EntityMigrationPolicy {}

    /// Inserts all contacts, then makes of each another one and a card, object by object; what fills the
    /// store does not count.
    func migrate() throws {
        do {
            let contacts = (0..<objectCount).map(ContactGenerator.contact)
            let client = try open()
            for first in stride(from: 0, to: contacts.count, by: Self.batchSize) {
                try client.insert(contacts[first..<min(first + Self.batchSize, contacts.count)])
            }
        }
        let policies: [String: () -> any EntityMigrationPolicy] = ["ContactToCard": { UsualPolicy() }]
        let (model, mapping) = (try ContactModel.withCards(), ContactModel.mapping)
        let start = Monotonic.now
        if system == .coffer {
            let connection = try ServiceConnection(
                application: ContactModel.application, bus: .explicit(place.place))
            try connection.migrateStore(
                named: place.store, to: model, by: mapping, policies: policies, keepsBackup: false)
        } else {
            try PersistentContainer.migrateEmbeddedStore(
                atPath: filePath, to: model, by: mapping, policies: policies, keepsBackup: false)
        }
        let seconds = Double(Monotonic.now - start) / 1e9
        try link.report(.objectsPerSecond, Double(objectCount) / seconds)
        let memory = try ProcessFacts.memory(of: CurrentProcess.id)
        try link.report(.peakClientMegabytes, Double(memory.peakResident) / 1_048_576)
    }
}

extension ContactModel {
    /// The next version, with a card for each contact.
    fileprivate static func withCards() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity(entity) {
                Field("firstName", .string)
                Field("lastName", .string)
                Field("email", .string)
                Field("phone", .string)
                Field("city", .string)
                Field("age", .integer32)
                Field("balance", .double)
                Field("created", .date)
                Many("cards", "Card", inverse: "contact")
                Unique("email")
            }
            Entity("Card") {
                Field("line", .string)
                One("contact", entity, inverse: "cards")
            }
        }
    }

    /// What becomes of contacts in it.
    fileprivate static var mapping: MappingModel {
        var cards = MappingModel.Entity("ContactToCard", kind: .custom, source: entity, destination: "Card")
        cards.attributes = [.init("line", .expression("uppercase:($source.city)"))]
        cards.relationships = [.init("contact", .mapped(by: "ContactToContact", objects: "$source"))]
        return MappingModel(entities: [
            .init("ContactToContact", kind: .copy, source: entity, destination: entity), cards,
        ])
    }
}
