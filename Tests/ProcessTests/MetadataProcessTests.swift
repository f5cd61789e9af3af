import Coffer
import CofferDBus
import CofferModel
import CofferService
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct MetadataProcessTests {
    private func container(_ service: ServiceUnderTest) throws -> PersistentContainer {
        let model = try ManagedObjectModel { Entity("Note") { Field("title", .string).optional() } }
        let container = try PersistentContainer(
            name: "Notes", model: model, application: "org.coffer.Tests",
            stores: [StoreDescription(name: "Notes")], bus: .explicit(service.bus.address))
        try container.loadStores()
        return container
    }

    private func call(
        _ member: String, _ body: [DBusValue] = [], on service: ServiceUnderTest
    ) throws -> DBusMessage {
        let path = try #require(try service.managedObjects().first { $0.hasSuffix("/Notes") })
        return try service.connection().call(
            BusNames.name, path: path, interface: "org.coffer.Storage1.Store", member: member, body: body)
    }

    private func values(on service: ServiceUnderTest) throws -> [String: DBusValue] {
        let entries = try call("GetMetadata", on: service).argument(0, \.entries)
        return Dictionary(
            uniqueKeysWithValues: entries.map { ($0.key.stringValue ?? "", $0.value.unwrapped) })
    }

    @Test func `applications and administrators see what the other notes about a store`() throws {
        try withService { service in
            let container = try container(service)
            let set = try container.metadata(
                ofStore: "Notes", setting: ["source": "a", "count": 5, "list": [1, [true]], "half": 0.5])
            #expect(set.type == "SQLite" && set.values.count == 4)
            let shown = try values(on: service)
            #expect(shown["source"] == .string("a") && shown["count"] == .int64(5))
            #expect(shown["half"] == .double(0.5))
            #expect(shown["NSStoreUUID"] == .string(set.uuid.uuidString))
            #expect(shown["NSStoreType"] == .string("SQLite"))
            #expect(shown["NSStoreModelVersionHashes"]?.entries?.count == 1)
            let changes: [String: DBusValue] = [
                "count": .uint32(6), "table": .properties(["x": .boolean(true)]), "bytes": .bytes([1, 2]),
            ]
            _ = try call("SetMetadata", [.properties(changes), .strings(["source"])], on: service)
            let seen = try container.metadata(ofStore: "Notes")
            #expect(
                seen.values == [
                    "count": 6, "list": [1, [true]], "half": 0.5, "table": ["x": true],
                    "bytes": .data([1, 2]),
                ])
            #expect(seen.uuid == set.uuid)
        }
    }

    @Test func `what no metadata can be is refused, and changes nothing`() throws {
        try withService { service in
            let container = try container(service)
            let values: [[String: DBusValue]] = [
                ["NSStoreType": .string("x")], ["a": .objectPath("/x")], ["a": .uint64(.max)],
            ]
            for value in values {
                #expect(throws: DBusError.self) {
                    try call("SetMetadata", [.properties(value), .strings([])], on: service)
                }
            }
            #expect(throws: CofferError.self) {
                try container.metadata(ofStore: "Notes", setting: ["NSStoreUUID": "x"])
            }
            #expect(throws: CofferError.self) { try container.metadata(ofStore: "None") }
            #expect(try container.metadata(ofStore: "Notes").values.isEmpty)
        }
    }
}
