import CofferModel
import FoundationEssentials
import Testing

@Suite struct IdentityTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") { Field("title", .string).optional() }
            Entity("Memo", parent: "Note")
        }
    }

    @Test func `an id is read from the text that it gives`() throws {
        let model = try model()
        let memo = try #require(model.entity(named: "Memo"))
        for (store, key) in [
            (UUID(), ManagedObjectID.Key.permanent(1)), (UUID(), .permanent(.max)), (nil, .temporary(UUID())),
        ] {
            let id = ManagedObjectID(entity: memo, storeUUID: store, key: key)
            let read = try #require(ManagedObjectID(uri: id.uri, in: model))
            #expect(read == id && read.entity === memo && read.uri == id.uri)
        }
    }

    @Test func `an id is coded as its text, and read with the model that names its entity`() throws {
        let model = try model()
        let memo = try #require(model.entity(named: "Memo"))
        let ids = [
            ManagedObjectID(entity: memo, storeUUID: UUID(), key: .permanent(7)),
            ManagedObjectID(entity: memo, storeUUID: nil, key: .temporary(UUID())),
        ]
        let coded = try JSONEncoder().encode(ids)
        let decoder = JSONDecoder()
        #expect(throws: DecodingError.self) { try decoder.decode([ManagedObjectID].self, from: coded) }
        decoder.userInfo[.managedObjectModel] = model
        #expect(try decoder.decode([ManagedObjectID].self, from: coded) == ids)
        let other = Data("[\"x-coffer:///Poem/t\(UUID().uuidString)\"]".utf8)
        #expect(throws: DecodingError.self) { try decoder.decode([ManagedObjectID].self, from: other) }
    }

    @Test func `an id of Core Data's is read, and written as ours`() throws {
        let model = try model()
        let uuid = UUID().uuidString
        let id = try #require(ManagedObjectID(uri: "x-coredata://\(uuid)/Memo/p12", in: model))
        #expect(id.uri == "x-coffer://\(uuid)/Memo/p12")
    }

    @Test func `a text that is not an id of the model gives none`() throws {
        let model = try model()
        let uuid = UUID().uuidString
        for text in [
            "", "x-coffer://", "x-coffer:///Note/p1", "x-coffer://\(uuid)/Note", "x-coffer://\(uuid)/Note/p",
            "x-coffer://\(uuid)/Note/p0", "x-coffer://\(uuid)/Note/p-1", "x-coffer://\(uuid)/Note/p+1",
            "x-coffer://\(uuid)/Note/p01", "x-coffer://\(uuid)/Note/p99999999999999999999",
            "x-coffer://\(uuid)/Memoir/p1", "x-coffer://\(uuid)/Note/q1", "x-coffer://\(uuid)/Note/p1/",
            "x-coffer://\(uuid)/Note/t\(uuid)", "x-coffer:///Note/t1", "x-coredata:///Note/tA",
            "x-coffer://1/Note/p1", " x-coffer://\(uuid)/Note/p1",
        ] {
            #expect(ManagedObjectID(uri: text, in: model) == nil, "\(text)")
        }
    }
}
