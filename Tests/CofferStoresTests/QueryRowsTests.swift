import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

struct QueryRowsTests {
    @Test func `rows by key come in one batch for each entity, whole`() throws {
        let fixture = try QueryFixture.office()
        let model = fixture.schema.model
        let tag = try #require(model.entity(named: "Tag"))
        for entity in ["Person", "Visitor", "Director"].compactMap({ model.entity(named: $0) }) {
            let request = RowsRequestMessage(
                store: 1, entity: entity.index, primaryKeys: [7, 1, 2, 99, 5, 1])
            let reply = try fixture.reader.rows(request)
            #expect(reply.number == 42)
            let found = reply.batches.map { model.entities[$0.entity].name }
            #expect(found == ["Person", "Manager", "Director", "Visitor"])
            #expect(reply.batches.flatMap(\.primaryKeys).sorted() == [1, 2, 5, 7])
            let manager = try #require(reply.batches.first { model.entities[$0.entity].name == "Manager" })
            #expect(manager.columns.count == 14 && manager.versions == [1] && manager.entities.isEmpty)
        }
        let tags = try fixture.reader.rows(
            RowsRequestMessage(store: 1, entity: tag.index, primaryKeys: [4, 2]))
        #expect(tags.batches.count == 1 && tags.batches[0].primaryKeys == [2, 4])
        #expect(
            try fixture.reader.rows(RowsRequestMessage(store: 1, entity: tag.index, primaryKeys: [])).batches
                .isEmpty)
        #expect(throws: StoreError.unknownEntity("#99")) {
            try fixture.reader.rows(RowsRequestMessage(store: 1, entity: 99, primaryKeys: [1]))
        }
    }

    @Test(arguments: ["staff", "reports", "tags", "hobbies", "people", "fans"])
    func `to-many relationships are read both ways for many owners at once`(name: String) throws {
        let fixture = try QueryFixture.office()
        let model = fixture.schema.model
        let owner = try #require(model.entities.first { $0.property(named: name) != nil })
        let property = try #require(owner.propertyIndex(named: name))
        let owners = fixture.objects.filter { $0.entity.isKind(of: owner) }.map(\.key).reversed() + [77]
        let reply = try fixture.reader.relationship(
            RelationshipRequestMessage(store: 1, entity: owner.index, property: property, primaryKeys: owners)
        )
        #expect(reply.number == 42 && reply.ends.count == owners.count)
        var start = 0
        for (key, end) in zip(owners, reply.ends.map(Int.init)) {
            let object = fixture.objects.first { $0.entity.isKind(of: owner) && $0.key == key }
            let expected = (object?.many[name] ?? []).sorted { $0.key < $1.key }
            #expect(reply.primaryKeys[start..<end].sorted() == expected.map(\.key))
            let found = zip(reply.primaryKeys[start..<end], reply.entities[start..<end]).sorted {
                $0.0 < $1.0
            }
            #expect(found.map { Int($0.1) } == expected.map(\.entity.index))
            start = end
        }
        #expect(reply.batches.isEmpty)
        let whole = try fixture.reader.relationship(
            RelationshipRequestMessage(
                store: 1, entity: owner.index, property: property, primaryKeys: owners, withRows: true))
        #expect(whole.primaryKeys == reply.primaryKeys)
        let rows = whole.batches.flatMap { batch in batch.primaryKeys.map { [batch.entity, Int($0)] } }
        let members = zip(reply.entities, reply.primaryKeys).map { [Int($0), Int($1)] }
        #expect(Set(rows) == Set(members) && Set(rows).count == rows.count)
    }

    @Test func `an ordered relationship comes in its order`() throws {
        let fixture = try QueryFixture.office()
        let tag = try #require(fixture.schema.model.entity(named: "Tag"))
        let property = try #require(tag.propertyIndex(named: "people"))
        guard
            case .manyToMany(let table, let own, let other, let order?, _) = fixture.schema.entities[
                tag.index]?.columns[property]
        else { return #expect(Bool(false), "no order column") }
        for (place, key) in [7, 1, 4].enumerated() {
            try fixture.connection.execute(
                "UPDATE \(table) SET \(order) = \(2_048 + place * 1_024) WHERE \(own) = 1 AND \(other) = \(key)"
            )
        }
        let request = RelationshipRequestMessage(
            store: 1, entity: tag.index, property: property, primaryKeys: [1])
        #expect(try fixture.reader.relationship(request).primaryKeys == [7, 1, 4])
    }

    @Test func `a property that is not a to-many relationship is refused`() throws {
        let fixture = try QueryFixture.office()
        let person = try #require(fixture.schema.model.entity(named: "Person"))
        for name in ["name", "boss", "mood"] {
            let property = try #require(person.propertyIndex(named: name))
            #expect(throws: StoreError.unknownProperty(entity: "Person", property: name)) {
                try fixture.reader.relationship(
                    RelationshipRequestMessage(
                        store: 1, entity: person.index, property: property, primaryKeys: [1]))
            }
        }
        #expect(throws: StoreError.unknownProperty(entity: "Person", property: "#99")) {
            try fixture.reader.relationship(
                RelationshipRequestMessage(store: 1, entity: person.index, property: 99, primaryKeys: [1]))
        }
    }
}
