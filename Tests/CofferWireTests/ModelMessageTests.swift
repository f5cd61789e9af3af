import CofferModel
import CofferWire
import Testing

@Test func `a model comes back as it was`() throws {
    let model = SampleModel.library
    let read = try ModelMessage.unpack(ModelMessage.pack(model))
    #expect(read == model)
    #expect(read.versionIdentifiers == ["7"])
}

@Test func `a count that sets no bound comes back as it was`() throws {
    var many = RelationshipDefinition("things", to: "Thing", isToMany: true)
    many.maximumCount = -1
    let model = try ManagedObjectModel(entities: [EntityDefinition("Thing", relationships: [many])])
    #expect(try ModelMessage.unpack(ModelMessage.pack(model)) == model)
}

@Test func `a model packs alike in whichever order it is declared`() throws {
    var definitions = SampleModel.definitions
    definitions.reverse()
    for index in definitions.indices {
        definitions[index].attributes.reverse()
        definitions[index].relationships.reverse()
    }
    let model = try ManagedObjectModel(
        entities: definitions, configurations: ["Local": ["Shelf"], "Cloud": ["Item", "Book"]],
        versionIdentifiers: ["7"], fetchRequestTemplates: SampleModel.library.fetchRequestTemplates)
    #expect(try ModelMessage.pack(model) == ModelMessage.pack(SampleModel.library))
}

@Test func `defaults that are equal pack alike`() throws {
    func packed(_ value: Double) throws -> [UInt8] {
        let attribute = AttributeDefinition(
            "x", .double, defaultValue: .double(value), validation: AttributeValidation(minimum: value))
        return try ModelMessage.pack(
            ManagedObjectModel(entities: [EntityDefinition("A", attributes: [attribute])]))
    }
    #expect(try packed(0.0) == packed(-0.0))
}

@Test func `a chain of entities that inherit is bounded`() throws {
    /// A message of so many entities, each with the one before it as its superentity.
    func line(of count: Int) -> [UInt8] {
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            [number << 3 | 2, UInt8(content.count)] + content
        }
        return (0..<count).flatMap { number in
            let parent = number == 0 ? [] : field(2, Array("E\(number - 1)".utf8))
            return field(1, field(1, Array("E\(number)".utf8)) + parent)
        }
    }
    #expect(try ModelMessage.unpack(line(of: 101)).entities.count == 101)
    let reason = "The model is too large: E101 inherits over 101 levels, 100 are allowed."
    #expect(throws: WireError.malformed("coffer.v1.Model: \(reason)")) {
        try ModelMessage.unpack(line(of: 2_000))
    }
}

@Test func `a model that contradicts itself is refused with its reason`() {
    // An entity "A" whose superentity "B" does not exist.
    let bytes: [UInt8] = [0x0A, 6, 0x0A, 1, 0x41, 0x12, 1, 0x42]
    #expect(throws: WireError.malformed("coffer.v1.Model: There is no entity 'B', which entity A names.")) {
        try ModelMessage.unpack(bytes)
    }
}
