import Coffer
import ContextSupport
import FoundationEssentials
import TestSupport

/// A knot of a net: properties of every kind that a predicate of Foundation can ask for, all of which may be
/// null in the store.
class Knot: ManagedObject {
    enum Kind: Int, AttributeConvertible, Codable {
        case plain, fancy
        static let valueForNull = Kind.plain
    }

    static let number = Attribute<Int?>("number")
    static let count = Attribute<Int>("count")
    static let most = Attribute<Int32>("most")
    static let size = Attribute<Double?>("size")
    static let weight = Attribute<Double>("weight")
    static let thickness = Attribute<Float>("thickness")
    static let price = Attribute<Decimal?>("price")
    static let flag = Attribute<Bool?>("flag")
    static let isOpen = Attribute<Bool>("isOpen")
    static let isTight = Attribute<Bool>("isTight")
    static let name = Attribute<String?>("name")
    static let label = Attribute<String>("label")
    static let day = Attribute<Date?>("day")
    static let token = Attribute<UUID?>("token")
    static let data = Attribute<[UInt8]>("data")
    static let kind = Attribute<Kind>("kind")
    static let next = ToOne<Knot>("next")
    static let previous = ToMany<Knot>("previous")

    var number: Int? { value(of: Self.number) }
    var count: Int { value(of: Self.count) }
    var most: Int32 { value(of: Self.most) }
    var size: Double? { value(of: Self.size) }
    var weight: Double { value(of: Self.weight) }
    var thickness: Float { value(of: Self.thickness) }
    var price: Decimal? { value(of: Self.price) }
    var flag: Bool? { value(of: Self.flag) }
    var isOpen: Bool { value(of: Self.isOpen) }
    var isTight: Bool { value(of: Self.isTight) }
    var name: String? { value(of: Self.name) }
    var label: String { value(of: Self.label) }
    var day: Date? { value(of: Self.day) }
    var token: UUID? { value(of: Self.token) }
    var data: [UInt8] { value(of: Self.data) }
    var kind: Kind { value(of: Self.kind) }
    var next: Knot? { target(of: Self.next) }
    var previous: RelatedObjects<Knot> { members(of: Self.previous) }
    /// A property that no model knows.
    var words: [String] { [label] }
}

/// A class that the model does not know.
final class Bow: Knot {}

enum Net {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Knot") {
                Field("number", .integer64).optional()
                Field("count", .integer64).optional()
                Field("most", .integer32).optional().default(3)
                Field("size", .double).optional()
                Field("weight", .double).optional()
                Field("thickness", .float).optional()
                Field("price", .decimal).optional()
                Field("flag", .boolean).optional()
                Field("isOpen", .boolean).optional()
                Field("isTight", .boolean).optional().default(true)
                Field("name", .string).optional()
                Field("label", .string).optional()
                Field("day", .date).optional()
                Field("token", .uuid).optional()
                Field("data", .binary).optional()
                Field("kind", .integer16).optional()
                One("next", "Knot", inverse: "previous")
                Many("previous", "Knot", inverse: "next")
            }
        }
        .withClasses(["Knot": Knot.self])
        .withKeyPaths { _ in
            [
                \Knot.number: "number", \Knot.count: "count", \Knot.most: "most", \Knot.size: "size",
                \Knot.weight: "weight", \Knot.thickness: "thickness", \Knot.price: "price",
                \Knot.flag: "flag", \Knot.isOpen: "isOpen", \Knot.isTight: "isTight", \Knot.name: "name",
                \Knot.label: "label", \Knot.day: "day", \Knot.token: "token", \Knot.data: "data",
                \Knot.kind: "kind", \Knot.next: "next", \Knot.previous: "previous",
            ]
        }
    }

    static let days = [0.0, 86_400].map { Date(timeIntervalSinceReferenceDate: $0) }
    static let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// Possible values of attributes besides null.
    private static let choices: [(String, [AttributeValue])] = [
        ("number", [.integer(0), .integer(1), .integer(-1), .integer(5)]),
        ("count", [.integer(0), .integer(1), .integer(2), .integer(-7)]),
        ("most", [.integer(0), .integer(3), .integer(4)]),
        ("size", [.double(0), .double(1), .double(2.5), .double(.infinity), .double(-.infinity)]),
        ("weight", [.double(0), .double(-1.5), .double(2.5), .double(.infinity)]),
        ("thickness", [.float(0), .float(0.1), .float(3)]),
        ("price", [.decimal(0), .decimal(5), .decimal(Decimal(string: "9.95") ?? 0)]),
        ("flag", [.boolean(true), .boolean(false)]), ("isOpen", [.boolean(true), .boolean(false)]),
        ("isTight", [.boolean(true), .boolean(false)]),
        ("name", ["", "Ada", "alan", "👍é"].map { .string($0) }),
        ("label", ["", "Ada", "Adam", "👨‍👩‍👧‍👦"].map { .string($0) }), ("day", days.map { .date($0) }),
        ("token", [.uuid(token), .uuid(UUID(uuid: (9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))]),
        ("data", [.binary([]), .binary([1, 2])]), ("kind", [.integer(0), .integer(1)]),
    ]

    /// Adds knots with random values, a third of them null, and random relationships.
    static func fill(
        _ context: ManagedObjectContext, _ count: Int, _ random: inout SeededGenerator
    ) throws {
        let knots = try (0..<count).map { _ in try context.insert(entityNamed: "Knot") }
        for knot in knots {
            for (key, values) in choices {
                let isNull = Int.random(in: 0..<3, using: &random) == 0
                let value = values[Int.random(in: 0..<values.count, using: &random)]
                try knot.setValue(isNull ? .null : value, forKey: key)
            }
            guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
            try knot.setObjects([knots[Int.random(in: 0..<count, using: &random)]], forKey: "next")
        }
    }
}
