import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

struct QueryResultTests {
    private func fetch(_ entity: String, _ change: (inout FetchDescription) -> Void) -> FetchDescription {
        var fetch = FetchDescription(entityName: entity)
        change(&fetch)
        return fetch
    }

    @Test func `objects carry attributes and to-one relationships in columns`() throws {
        let fixture = try QueryFixture.office()
        let reply = try fixture.fetch(fetch("Person") { $0.sortDescriptors = [QuerySort("email")] })
        let rows = try #require(reply.rows)
        #expect(reply.number == 42)
        #expect(reply.count == 8 && rows.rowCount == 8)
        #expect(rows.primaryKeys == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(rows.versions == Array(repeating: 1, count: 8))
        let model = fixture.schema.model
        let names = (0..<8).map { model.entities[rows.leafEntity($0)].name }
        #expect(
            names == ["Director", "Person", "Manager", "Person", "Visitor", "Person", "Manager", "Person"])
        let person = try #require(model.entity(named: "Person"))
        for object in fixture.objects where object.entity.rootName == "Person" {
            let row = Int(object.key) - 1
            for column in rows.columns {
                try column.check(rowCount: rows.rowCount)
                let property = person.properties[column.property]
                let expected =
                    property.relationship == nil
                    ? object.values[property.name] ?? .null : object.one[property.name]?.identity ?? .null
                #expect(column.value(row, property, model) == expected, "\(property.name) of \(object.key)")
            }
        }
        #expect(Set(rows.columns.map { person.properties[$0.property].name }).count == 13)
    }

    @Test func `only the entities asked for are found`() throws {
        let fixture = try QueryFixture.office()
        for (entity, with, without) in [
            ("Person", 8, 4), ("Manager", 3, 2), ("Director", 1, 1), ("Visitor", 1, 1), ("Tag", 4, 4),
        ] {
            #expect(try fixture.fetch(FetchDescription(entityName: entity)).count == with)
            #expect(try fixture.fetch(fetch(entity) { $0.includesSubentities = false }).count == without)
            let count = fetch(entity) { $0.resultType = .count }
            #expect(try fixture.fetch(count).count == with && fixture.fetch(count).rows == nil)
        }
        let managers = try #require(
            try fixture.fetch(fetch("Manager") { $0.sortDescriptors = [QuerySort("level")] }).rows)
        #expect(managers.primaryKeys == [1, 3, 7] && managers.columns.count == 14)
        let directors = try #require(try fixture.fetch(FetchDescription(entityName: "Director")).rows)
        #expect(
            directors.entities.isEmpty
                && directors.entity == fixture.schema.model.entity(named: "Director")?.index)
    }

    @Test func `rows come in order, null smallest, and in pages that fit together`() throws {
        let fixture = try QueryFixture.office()
        func keys(_ change: (inout FetchDescription) -> Void) throws -> [Int64] {
            try fixture.fetch(fetch("Person", change)).rows?.primaryKeys ?? []
        }
        #expect(try keys { $0.sortDescriptors = [QuerySort("age")] } == [6, 8, 7, 1, 2, 4, 5, 3])
        #expect(
            try keys { $0.sortDescriptors = [QuerySort("age", ascending: false)] } == [
                3, 5, 4, 2, 1, 7, 8, 6,
            ])
        #expect(
            try keys { $0.sortDescriptors = [QuerySort("isActive", ascending: false), QuerySort("height")] }
                == [5, 3, 1, 7, 8, 4, 2, 6])
        #expect(
            try keys { $0.sortDescriptors = [QuerySort("employer.name"), QuerySort("age")] } == [
                6, 3, 7, 1, 5, 8, 2, 4,
            ])
        #expect(
            try keys { $0.sortDescriptors = [QuerySort("name", comparison: .caseInsensitive)] }.prefix(4) == [
                6, 8, 1, 2,
            ])
        #expect(
            try keys { $0.sortDescriptors = [QuerySort("name", comparison: .localized)] } == [
                6, 8, 1, 2, 7, 4, 5, 3,
            ])
        #expect(try keys { $0.sortDescriptors = [QuerySort("tags.@count", ascending: false)] }.count == 8)
        let all = try keys { $0.sortDescriptors = [QuerySort("age")] }
        for offset in 0..<9 {
            for limit in 0..<9 {
                let page = try keys {
                    $0.sortDescriptors = [QuerySort("age")]
                    $0.offset = offset
                    $0.limit = limit
                }
                let rest = all.dropFirst(offset)
                #expect(page == Array(limit == 0 ? rest : rest.prefix(limit)))
                let count = fetch("Person") {
                    $0.offset = offset
                    $0.limit = limit
                    $0.resultType = .count
                }
                #expect(try fixture.fetch(count).count == page.count)
            }
        }
    }

    @Test func `numbers in texts sort by value where asked for`() throws {
        let fixture = try QueryFixture()
        for (index, name) in ["file10", "File2", "file002", "file1", "file", "file2b", "fil\u{E9}3"]
            .enumerated()
        {
            try fixture.add("Tag", key: Int64(index + 1), ["name": name.value])
        }
        try fixture.write()
        let sorted = fetch("Tag") { $0.sortDescriptors = [QuerySort("name", comparison: .localizedStandard)] }
        #expect(try fixture.fetch(sorted).rows?.primaryKeys == [5, 4, 2, 3, 6, 7, 1])
    }

    @Test func `ids come alone`() throws {
        let fixture = try QueryFixture.office()
        let reply = try fixture.fetch(fetch("Manager") { $0.resultType = .objectIDs })
        let rows = try #require(reply.rows)
        #expect(rows.primaryKeys.sorted() == [1, 3, 7] && rows.columns.isEmpty && rows.versions.isEmpty)
        #expect(rows.entities.count == 3)
    }

    @Test func `dictionaries carry key paths in the order asked for`() throws {
        let fixture = try QueryFixture.office()
        let wanted = ["employer.name", "age", "employer", "boss.boss", "reports.@count", "reports.@max.age"]
        let reply = try fixture.fetch(
            fetch("Person") {
                $0.resultType = .dictionaries
                $0.propertiesToFetch = wanted
                $0.sortDescriptors = [QuerySort("email")]
            })
        let rows = try #require(reply.rows)
        #expect(rows.primaryKeys.isEmpty && rows.columns.map(\.property) == Array(0..<6))
        guard case .bytes(let names) = rows.columns[0].values,
            case .integers(let ages) = rows.columns[1].values,
            case .references(let employers, let entities) = rows.columns[2].values,
            case .references(let chiefs, let kinds) = rows.columns[3].values,
            case .integers(let counts) = rows.columns[4].values
        else { return #expect(Bool(false), "columns of other types") }
        #expect(String(decoding: names.data[names.range(0)], as: UTF8.self) == "Acme")
        #expect(ages.prefix(3) == [36, 41, 85] && employers.prefix(3) == [1, 2, 0])
        #expect(rows.columns[2].nulls == [0b0010_0100] && entities[0] == fixture.objects[0].entity.index)
        #expect(chiefs[2] == 1 && kinds[2] == fixture.schema.model.entity(named: "Director")?.index ?? 0)
        #expect(counts.prefix(2) == [1, 2])
    }

    @Test func `equal dictionaries are given once where asked for`() throws {
        let fixture = try QueryFixture.office()
        func ages(_ limit: Int) throws -> PackedRows? {
            try fixture.fetch(
                fetch("Person") {
                    $0.resultType = .dictionaries
                    $0.propertiesToFetch = ["age"]
                    $0.returnsDistinctResults = true
                    $0.sortDescriptors = [QuerySort("age", ascending: false)]
                    $0.limit = limit
                }
            ).rows
        }
        guard case .integers(let all)? = try ages(0)?.columns.first?.values else {
            return #expect(Bool(false))
        }
        #expect(all == [85, 47, 41, 36, 12, -3, 0])
        #expect(try ages(2)?.rowCount == 2)
    }

    @Test func `objects carry only the properties asked for`() throws {
        let fixture = try QueryFixture.office()
        let rows = try fixture.fetch(fetch("Person") { $0.propertiesToFetch = ["name", "boss"] }).rows
        #expect(rows?.columns.count == 2 && rows?.primaryKeys.count == 8)
    }

    @Test func `values that another program put there are converted or null`() throws {
        let fixture = try QueryFixture.office()
        try fixture.connection.execute(
            """
            UPDATE ZPERSON SET ZAGE = 'twelve', ZHEIGHT = x'00ff', ZTOKEN = 'short', ZISACTIVE = 'yes', ZBALANCE = 'much',
              ZNAME = x'ff41', ZBORN = 'never', ZPHOTO = 17, ZBOSS = 'nobody' WHERE Z_PK = 1;
            UPDATE ZPERSON SET ZAGE = '77', ZBALANCE = 1e300, ZNAME = 5 WHERE Z_PK = 2
            """)
        let rows = try #require(
            try fixture.fetch(fetch("Person") { $0.sortDescriptors = [QuerySort("email")] }).rows)
        #expect(rows.rowCount == 8)
        let person = try #require(fixture.schema.model.entity(named: "Person"))
        func value(_ name: String, _ row: Int) -> AttributeValue? {
            let index = person.propertyIndex(named: name)
            return rows.columns.first { $0.property == index }.flatMap {
                $0.value(row, person.properties[$0.property], fixture.schema.model)
            }
        }
        #expect(
            value("age", 0) == .integer(0) && value("token", 0) == .null && value("height", 0) == .double(0))
        #expect(
            value("age", 1) == .integer(77) && value("balance", 1) == .null && value("name", 1) == "5".value)
    }

    @Test func `decimals are the shortest that the number is written as`() throws {
        let fixture = try QueryFixture.office()
        let written: [String] = [
            "0", "0.1", "-0.1", "123456789.25", "1e-7", "5e20", "-3", "9007199254740993",
            "0.30000000000000004",
        ]
        for (index, text) in written.enumerated() {
            try fixture.connection.execute(
                "UPDATE ZPERSON SET ZBALANCE = \(text) WHERE Z_PK = \(min(index + 1, 8))")
            let id = try fixture.person(min(index + 1, 8)).identity
            let request = fetch("Person") {
                $0.propertiesToFetch = ["balance"]
                $0.predicate = .compare(.evaluatedObject, .equal, .constant(id))
            }
            let rows = try #require(try fixture.fetch(request).rows)
            let person = try #require(fixture.schema.model.entity(named: "Person"))
            let value = rows.columns[0].value(
                0, person.properties[rows.columns[0].property], fixture.schema.model)
            #expect(value == Decimal(string: text).map { .decimal($0) }, "\(text)")
        }
    }

    @Test func `digits beside a number are taken while they are that number's`() throws {
        let fixture = try QueryFixture.office()
        let digits = "0.1000000000000000055511151231257827021"
        try fixture.connection.execute(
            """
            CREATE TABLE IF NOT EXISTS COFFER_DECIMAL (relation, key, property, digits, PRIMARY KEY (relation, key, property));
            INSERT INTO COFFER_DECIMAL VALUES ('ZPERSON', 1, 'ZBALANCE', '\(digits)'), ('ZPERSON', 2, 'ZBALANCE', '7');
            UPDATE ZPERSON SET ZBALANCE = 0.1 WHERE Z_PK < 3
            """)
        let reader = try StoreReader(connection: fixture.connection, schema: fixture.schema)
        let request = fetch("Person") {
            $0.sortDescriptors = [QuerySort("email")]
            $0.propertiesToFetch = ["balance"]
        }
        let person = try #require(fixture.schema.model.entity(named: "Person"))
        for type in [FetchDescription.ResultType.objects, .dictionaries] {
            var request = request
            request.resultType = type
            let column = try #require(
                try reader.fetch(FetchRequestMessage(store: 1, fetch: request)).rows?.columns
                    .first)
            let property = try #require(person.property(named: "balance"))
            let model = fixture.schema.model
            #expect(column.value(0, property, model) == Decimal(string: digits).map { .decimal($0) })
            #expect(column.value(1, property, model) == Decimal(string: "0.1").map { .decimal($0) })
        }
    }
}

extension QueryFixture {
    /// The person with a key.
    func person(_ key: Int) throws -> QueryObject {
        guard let person = objects.first(where: { $0.entity.rootName == "Person" && $0.key == key }) else {
            throw StoreError.unknownObject(entity: "Person", primaryKey: Int64(key))
        }
        return person
    }
}

extension Column {
    /// The value of one row, read slowly.
    func value(_ row: Int, _ property: PropertyDescription, _ model: ManagedObjectModel) -> AttributeValue? {
        if isNull(row) { return .null }
        let type = property.attribute?.type
        switch values {
        case .integers(let values): return .integer(values[row])
        case .bits(let bits): return .boolean(bits[row / 8] & (1 << UInt8(row % 8)) != 0)
        case .doubles(let values):
            return type == .date
                ? .date(Date(timeIntervalSinceReferenceDate: values[row])) : .double(values[row])
        case .floats(let values): return .float(values[row])
        case .bytes(let runs):
            let bytes = Array(runs.data[runs.range(row)])
            if type == .binary { return .binary(bytes) }
            let text = String(decoding: bytes, as: UTF8.self)
            return type == .uri ? .uri(text) : .string(text)
        case .uuids(let bytes): return .uuid(UUID.numbered(Int(bytes[row * 16 + 15])))
        case .decimals(let bytes):
            let row = bytes[(row * 18)..<(row * 18 + 18)]
            let mantissa = row.suffix(16).reversed().reduce(Decimal(0)) { $0 * 256 + Decimal(Int($1)) }
            let exponent = Int(Int8(bitPattern: row[row.startIndex + 1]))
            return .decimal(
                Decimal(
                    sign: row[row.startIndex] == 1 ? .minus : .plus, exponent: exponent, significand: mantissa
                ))
        case .references(let keys, let entities):
            let entity = model.entities[Int(entities[row])]
            return .object(ManagedObjectID(entity: entity, storeUUID: nil, key: .permanent(keys[row])))
        }
    }
}
