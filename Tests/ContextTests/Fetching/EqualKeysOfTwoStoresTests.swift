import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Objects in two stores of one entity have the same keys: whatever a request names is the object in one
/// store only.
@Suite struct EqualKeysOfTwoStoresTests {
    /// A garage in two parts, each with a person, `<part>`, and two cars of that person, `<part>a` and
    /// `<part>b`.
    private func withParts(
        on backing: Backing, _ body: (ManagedObjectContext, [String: ManagedObject]) throws -> Void
    ) throws {
        try withContainer(Garage.model(), stores: ["x", "y"], on: backing) { container in
            let context = container.newContext()
            var objects: [String: ManagedObject] = [:]
            for part in ["x", "y"] {
                let person = try context.make("Person", ["name": .string(part)])
                try context.assign(person, toStoreNamed: part)
                objects[part] = person
                for name in ["\(part)a", "\(part)b"] {
                    let car = try context.make("Car", ["numberPlate": .string(name)])
                    try context.assign(car, toStoreNamed: part)
                    try car.setObjects([person], forKey: "owner")
                    objects[name] = car
                    // Saved one after the other, so that the same positions have the same keys.
                    try context.save()
                }
            }
            for name in ["x", "xa", "xb"] {
                let other = try #require(objects[name.replacing("x", with: "y")])
                #expect(objects[name]?.objectID.key == other.objectID.key)
            }
            try body(context, objects)
        }
    }

    private func plates(
        _ context: ManagedObjectContext, _ format: String, _ arguments: [ManagedObjectID]
    ) throws -> [String] {
        let predicate = try QueryPredicate(format: format, arguments: arguments)
        let request = FetchRequest<ManagedObject>(entityName: "Car", predicate).sorted(by: "numberPlate")
        let found = try context.fetch(request).map { $0["numberPlate"].text }
        #expect(try context.count(for: request) == found.count, "\(format)")
        #expect(try context.newChild().fetch(request).map { $0["numberPlate"].text } == found, "\(format)")
        // Rows come store by store.
        #expect(try context.fetchDictionaries(request).map { $0["numberPlate"]?.text } == found, "\(format)")
        return found
    }

    @Test(arguments: Backing.all)
    func `a predicate that names an object finds the object of the right store`(on backing: Backing) throws {
        try withParts(on: backing) { context, objects in
            let (x, xa, ya, yb) = (
                try #require(objects["x"]), try #require(objects["xa"]), try #require(objects["ya"]),
                try #require(objects["yb"])
            )
            let format: [(String, [ManagedObject], [String])] = [
                ("SELF == %@", [xa], ["xa"]),
                ("SELF != %@", [xa], ["xb", "ya", "yb"]),
                ("SELF IN {%@, %@}", [xa, yb], ["xa", "yb"]),
                ("NOT SELF IN {%@, %@}", [xa, yb], ["xb", "ya"]),
                ("owner == %@", [x], ["xa", "xb"]),
                ("owner != %@", [x], ["ya", "yb"]),
                ("ANY owner.cars == %@", [ya], ["ya", "yb"]),
                ("SUBQUERY(owner.cars, $c, $c == %@).@count > 0", [ya], ["ya", "yb"]),
                ("TERNARY(SELF == %@, 1, 2) == 1", [yb], ["yb"]),
                ("NOT (SELF == %@ OR owner == %@)", [ya, x], ["yb"]),
            ]
            for (format, named, expected) in format {
                let found = try plates(context, format, named.map(\.objectID))
                #expect(found == expected, "\(format)")
            }
        }
    }
    @Test(arguments: Backing.all)
    func `a computed value and a group's condition mean the object of the right store`(
        on backing: Backing
    ) throws {
        try withParts(on: backing) { context, objects in
            let xa = try #require(objects["xa"]?.objectID)
            var request = FetchRequest<ManagedObject>(entityName: "Car")
            request.propertiesToFetch = ["numberPlate"]
            request.expressionsToFetch = [try NamedExpression("is", format: "TERNARY(SELF == %@, 1, 0)", xa)]
            #expect(try context.fetchDictionaries(request).map { $0["is"] } == [1, 0, 0, 0])
            request = FetchRequest<ManagedObject>(entityName: "Car")
            request.propertiesToFetch = ["owner"]
            request.groupBy = ["owner"]
            request.having = try QueryPredicate(format: "owner == %@", try #require(objects["y"]?.objectID))
            #expect(try context.fetchDictionaries(request).count == 1)
        }
    }

    @Test(arguments: Backing.all)
    func `batch operations change the objects of the named stores`(on backing: Backing) throws {
        try withParts(on: backing) { context, objects in
            let (xa, yb) = (try #require(objects["xa"]?.objectID), try #require(objects["yb"]?.objectID))
            let makers = {
                try context.fetchDictionaries(
                    FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "numberPlate")
                ).map { "\($0["numberPlate"]?.text ?? "") \($0["maker"]?.text ?? "")" }
            }
            try context.execute(
                BatchUpdate(
                    entityName: "Car", try QueryPredicate(format: "SELF == %@", yb), set: ["maker": "A"]))
            #expect(try makers() == ["xa -", "xb -", "ya -", "yb A"])
            try context.execute(
                BatchUpdate(
                    entityName: "Car",
                    set: ["maker": try QueryExpression(format: "TERNARY(SELF == %@, 'B', maker)", xa)]))
            #expect(try makers() == ["xa B", "xb -", "ya -", "yb A"])
            try context.execute(
                BatchDelete(entityName: "Car", try QueryPredicate(format: "SELF IN {%@, %@}", xa, yb)))
            #expect(try makers() == ["xb -", "ya -"])
        }
    }
}
