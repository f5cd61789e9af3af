import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import Testing

private final class Reading: ManagedObject, ModeledObject {
    struct Properties {
        let count = Attribute<Int>("count")
        let ratio = Attribute<Double>("ratio")
    }
    static let properties = Properties()
}

/// A value is stored exactly, or refused with an error: none changes on its way to the file, and none ends
/// the program.
@Suite struct ValueRangeTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Reading") {
                Field("count", .integer16).optional()
                Field("ratio", .double).optional()
                Field("part", .float).optional()
                Field("price", .decimal).optional()
                Field("taken", .date).optional()
            }
        }
    }

    private func failures(_ context: ManagedObjectContext) throws -> [String] {
        do throws(CofferError) {
            try context.save()
            return []
        } catch {
            guard case .validation(let failures) = error else { throw error }
            return failures.map { "\($0.property) \($0.reason.rawValue)" }.sorted()
        }
    }

    @Test(arguments: Backing.all)
    func `a number too large for its attribute is kept and forbids the save`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let reading = context.insert(Reading.self)
            reading.count = 40_000
            let other = try context.make("Reading", ["count": -32_769])
            #expect(reading.count == 40_000 && other["count"] == -32_769)
            #expect(try failures(context) == ["count out_of_range", "count out_of_range"])
            #expect(reading.validationFailures(for: .insert).map(\.value) == [40_000])
            #expect(reading.count == 40_000)
            reading.count = 32_767
            other["count"] = -32_768
            try context.save()
            reading.count += 1
            #expect(try failures(context) == ["count out_of_range"])
            context.rollback()
            #expect(reading.count == 32_767)
        }
    }

    @Test(arguments: Backing.all)
    func `a child refuses to save a number too large for its attribute`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let child = container.newContext().newChild()
            child.insert(Reading.self).count = 70_000
            let refused = try failures(child)
            #expect(refused == ["count out_of_range"])
        }
    }

    @Test(arguments: Backing.all)
    func `a NaN is refused by saves and batch inserts`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let none: [String: AttributeValue] = [
                "ratio": .double(.nan), "part": .float(.nan), "price": .decimal(.nan),
                "taken": .date(Date(timeIntervalSinceReferenceDate: .nan)),
            ]
            try context.make("Reading", none)
            let expected = ["part", "price", "ratio", "taken"].map { "\($0) out_of_range" }
            #expect(try failures(context) == expected)
            context.rollback()
            #expect(throws: CofferError.self) {
                try context.execute(BatchInsert(entityName: "Reading", objects: [none]))
            }
            #expect(try context.all("Reading").isEmpty)
        }
    }

    @Test(arguments: Backing.all)
    func `a negative zero loses its sign when it is set`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let reading = context.insert(Reading.self)
            reading.ratio = -0.0
            #expect(reading.ratio.sign == .plus)
            try reading.setValue(.float(-0.0), forKey: "part")
            guard case .float(let part) = reading["part"] else { return #expect(Bool(false)) }
            #expect(part.sign == .plus)
        }
    }
}

/// Bounds are compared in the value's own type.
@Suite struct BoundTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Sample") {
                Field("part", .float).optional().validated(min: 0.7, max: 0.1 + 0.7)
                Field("price", .decimal).optional().validated(min: 0.1, max: 0.3)
                Field("number", .integer64).optional().validated(max: 9_007_199_254_740_992)
            }
        }
    }

    @Test(
        arguments: Backing.all(with: [
            ("part", AttributeValue.float(0.7), true), ("part", .float(0.8), true),
            ("part", .float(Float(0.7).nextDown), false), ("part", .float(Float(0.8).nextUp), false),
            ("price", .decimal(Decimal(string: "0.1")!), true),
            ("price", .decimal(Decimal(string: "0.3")!), true),
            ("price", .decimal(Decimal(string: "0.30000000000000000000001")!), false),
            ("price", .decimal(Decimal(string: "0.09999999999999999999999")!), false),
            ("number", .integer(9_007_199_254_740_992), true),
            ("number", .integer(9_007_199_254_740_993), false),
        ]))
    func `a value is compared with the bounds of its attribute exactly`(
        key: String, value: AttributeValue, fits: Bool, on backing: Backing
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let sample = try context.make("Sample", [key: value])
            #expect(sample.validationFailures(for: .insert).isEmpty == fits)
            if fits {
                try context.save()
            } else {
                #expect(throws: CofferError.self) { try context.save() }
            }
        }
    }
}
