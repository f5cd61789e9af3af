import Coffer
import CofferModel
import ContextSupport
import Testing

/// Employees of departments, some of them managers; numbered things with a value of each kind.
enum Staff {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Department",
                attributes: [AttributeDefinition("title", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition(
                        "employees", to: "Employee", inverse: "department", isToMany: true, maximumCount: 2,
                        deleteRule: .deny)
                ]),
            EntityDefinition(
                "Employee",
                attributes: [
                    AttributeDefinition("name", .string),
                    AttributeDefinition("note", .string, isOptional: true),
                    AttributeDefinition(
                        "salary", .integer32, defaultValue: 1, validation: .init(minimum: 0, maximum: 1_000)),
                    AttributeDefinition("speed", .integer32, isOptional: true, isTransient: true),
                ],
                relationships: [
                    RelationshipDefinition("department", to: "Department", inverse: "employees"),
                    RelationshipDefinition(
                        "pets", to: "Pet", inverse: "owner", isToMany: true, deleteRule: .cascade),
                ]),
            EntityDefinition("Manager", superentity: "Employee"),
            EntityDefinition(
                "Pet", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [RelationshipDefinition("owner", to: "Employee", inverse: "pets")]),
        ])
    }

    /// Records every call in the life of an object.
    final class Hooked: ManagedObject {
        override class var entityName: String { "Employee" }
        var calls: [String] = []
        var stamp: String?

        override func awakeFromInsert() {
            calls.append("awakeFromInsert \(value(forKey: "salary").text)")
        }
        override func awakeFromFetch() { calls.append("awakeFromFetch") }
        override func willSave() {
            calls.append("willSave")
            if let stamp, value(forKey: "note") != .string(stamp) { self["note"] = .string(stamp) }
        }
        override func didSave() { calls.append("didSave") }
        override func prepareForDeletion() { calls.append("prepareForDeletion") }
        override func willTurnIntoFault() { calls.append("willTurnIntoFault") }
        override func didTurnIntoFault() { calls.append("didTurnIntoFault") }

        override class var validatedKeys: [String] { ["salary"] }
        override func validateValue(_ value: AttributeValue, forKey key: String) throws {
            if value == .integer(666) { throw Refused(text: "beastly") }
        }
    }

    struct Refused: Error, CustomStringConvertible {
        var text: String
        var description: String { text }
    }

    /// D7: alpha 22, bravo 25 and charlie 10 are saved; then, unsaved, alpha gets 5 and charlie 21, bravo is
    /// deleted, delta 30 and echo 40 are added.
    static func payroll(_ context: ManagedObjectContext) throws {
        let saved = try [("alpha", 22), ("bravo", 25), ("charlie", 10)].map { name, salary in
            try context.employee(name, AttributeValue.integer(Int64(salary)))
        }
        try context.save()
        saved[0]["salary"] = 5
        saved[2]["salary"] = 21
        context.delete(saved[1])
        try context.employee("delta", 30)
        try context.employee("echo", 40)
    }
}

extension ManagedObjectContext {
    @discardableResult
    func employee(_ name: String, _ salary: AttributeValue = 1) throws -> ManagedObject {
        try make("Employee", ["name": .string(name), "salary": salary])
    }

    /// A new object with hooks.
    func hooked(_ name: String) throws -> Staff.Hooked {
        register(Staff.Hooked.self, forEntity: "Employee")
        let object = insert(Staff.Hooked.self)
        object["name"] = .string(name)
        return object
    }
}

/// Employees that match a predicate, in order.
func employees(_ format: String? = nil, sortedBy key: String? = "name") throws -> FetchRequest<ManagedObject>
{
    var request = FetchRequest<ManagedObject>(entityName: "Employee")
    if let format { request = try request.matching(format) }
    return key.map { request.sorted(by: $0) } ?? request
}

extension [ManagedObject] {
    var names: [String] { map { $0["name"].text } }
}
