import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import TestSupport
import Testing

/// Foundation's own evaluation defines what a predicate means; stores and contexts must agree with it.
@Suite struct FoundationPredicateRandomTests {
    @Test(arguments: Seed.several(4), Backing.all)
    func `predicates of Foundation give Swift's answer in stores and in memory`(
        seed: Seed, on backing: Backing
    ) throws {
        try withContainer(Net.model(), on: backing) { container in
            var random = seed.generator()
            let writer = container.newContext()
            try Net.fill(writer, 40, &random)
            try writer.save()
            let reader = container.newContext()
            let stored = try reader.fetch(FetchRequest<Knot>())
            for (name, predicate) in Self.logic + Self.texts + Self.numbers + Self.collections {
                try check(name, predicate, stored, reader, "in the store")
            }
            // New objects are evaluated in memory, where even mandatory attributes are null.
            let own = container.newContext()
            try Net.fill(own, 25, &random)
            let all = try own.fetch(FetchRequest<Knot>())
            #expect(all.count == 65)
            for (name, predicate) in Self.logic + Self.texts + Self.numbers + Self.collections {
                try check(name, predicate, all, own, "in memory")
            }
        }
    }

    private func check(
        _ name: String, _ predicate: Predicate<Knot>, _ all: [Knot], _ context: ManagedObjectContext,
        _ place: String
    ) throws {
        let wanted = Set(try all.filter { try predicate.evaluate($0) })
        do {
            let found = try context.fetch(predicate)
            #expect(Set(found) == wanted, "\(name) \(place)")
            #expect(found.count == wanted.count, "\(name) \(place)")
            let query = try context.model.queryPredicate(predicate)
            #expect(Set(try all.filter { try query.evaluate(with: $0) }) == wanted, "\(name), evaluated")
        } catch { Issue.record("\(name) \(place): \(error)") }
    }

    private typealias Named = (String, Predicate<Knot>)

    private struct Bounds: Codable {
        var minimum: Int
        var names: [String]
    }

    // swift-format-ignore: NeverForceUnwrap
    private static var logic: [Named] {
        let (yes, wanted, nothing): (Bool, Bool?, Bool?) = (true, true, nil)
        return [
            ("flag", #Predicate { $0.flag == true }), ("no flag", #Predicate { $0.flag == false }),
            ("not flag", #Predicate { $0.flag != true }), ("flag nil", #Predicate { $0.flag == nil }),
            ("flag there", #Predicate { $0.flag != nil }),
            ("flag captured", #Predicate { $0.flag == wanted }),
            ("flag nothing", #Predicate { $0.flag == nothing }), ("yes", #Predicate { _ in yes }),
            ("flag or", #Predicate { $0.flag ?? true }), ("flag or not", #Predicate { !($0.flag ?? false) }),
            ("flag or open", #Predicate { $0.flag ?? $0.isOpen }),
            ("flag or next", #Predicate { $0.flag ?? $0.next?.flag ?? true }),
            ("open", #Predicate { $0.isOpen }), ("closed", #Predicate { !$0.isOpen }),
            ("open false", #Predicate { $0.isOpen == false }), ("tight", #Predicate { $0.isTight }),
            ("loose", #Predicate { !$0.isTight }), ("open is tight", #Predicate { $0.isOpen == $0.isTight }),
            ("flag is open", #Predicate { ($0.flag ?? true) == $0.isOpen }),
            ("next open", #Predicate { $0.next?.isOpen == true }),
            ("next not open", #Predicate { $0.next?.isOpen != true }),
            ("next closed", #Predicate { $0.next?.isOpen == false }),
            ("next tight", #Predicate { $0.next?.isTight == true }),
            ("next tight nil", #Predicate { $0.next?.isTight == nil }),
            ("next flag nil", #Predicate { $0.next?.flag == nil }),
            ("next flag there", #Predicate { $0.next?.flag != nil }),
            ("next of next", #Predicate { $0.next?.next?.isTight ?? false }),
            ("next is nil", #Predicate { $0.next == nil }), ("next is there", #Predicate { $0.next != nil }),
            ("own next", #Predicate { knot in knot.next.flatMap { $0 == knot } ?? false }),
            ("next back", #Predicate { $0.next?.next == nil }),
            ("both nexts", #Predicate { $0.next?.next == $0.next }),
            ("mapped", #Predicate { $0.next.flatMap { $0.number == 1 } == false }),
            ("mapped nil", #Predicate { $0.next.flatMap { $0.number == 1 } == nil }),
            ("mapped not", #Predicate { $0.next.flatMap { $0.number == 1 } != true }),
            ("mapped or", #Predicate { $0.next.flatMap { $0.number == 1 } ?? true }),
            ("mapped or not", #Predicate { $0.next.flatMap { $0.number == 1 } ?? false }),
            ("mapped twice", #Predicate { $0.next.flatMap { $0.next.flatMap { $0.flag == nil } } == nil }),
            ("mapped number", #Predicate { $0.number.flatMap { $0 > 0 } == false }),
            ("mapped flags", #Predicate { $0.flag.flatMap { !$0 } == true }),
            ("mapped flags nil", #Predicate { $0.flag.flatMap { !$0 } == nil }),
            ("mapped equal", #Predicate { $0.flag.flatMap { !$0 } == $0.next?.isOpen }),
            ("if let", #Predicate { if let next = $0.next { next.isOpen } else { $0.isTight } }),
            ("if let number", #Predicate { if let number = $0.number { number > 0 } else { true } }),
            ("if let name", #Predicate { if let name = $0.name { name == "" } else { false } }),
            (
                "if let, else if",
                #Predicate { knot in
                    if let next = knot.next {
                        next.count > 0
                    } else if let number = knot.number {
                        number < 1
                    } else {
                        true
                    }
                }
            ),
            (
                "if let in if let",
                #Predicate { knot in
                    if let next = knot.next {
                        if let number = next.number { number == knot.count } else { knot.isOpen }
                    } else {
                        false
                    }
                }
            ),
            ("ternary", #Predicate { ($0.isOpen ? $0.number : $0.next?.number) == nil }),
            ("ternary flag", #Predicate { ($0.isOpen ? $0.flag : $0.next?.flag) == false }),
            ("ternary count", #Predicate { ($0.isTight ? $0.count : 2) > 1 }),
            ("ternary nil", #Predicate { ($0.isTight ? nil : $0.name) == nil }),
            ("unwrapped", #Predicate { $0.next != nil && $0.next!.count > 0 }),
            ("unwrapped number", #Predicate { $0.number == nil || $0.number! < 1 }),
            ("unwrapped text", #Predicate { $0.name != nil && $0.name!.count == 3 }),
            ("or, and", #Predicate { $0.isOpen || $0.flag == true && !$0.isTight }),
        ]
    }

    private static var texts: [Named] {
        let (wanted, nothing): (String?, String?) = ("Ada", nil)
        return [
            ("name", #Predicate { $0.name == "Ada" }), ("not name", #Predicate { $0.name != "Ada" }),
            ("name nil", #Predicate { $0.name == nil }), ("name wanted", #Predicate { $0.name == wanted }),
            ("name nothing", #Predicate { $0.name == nothing }),
            ("name not nothing", #Predicate { $0.name != nothing }),
            ("label", #Predicate { $0.label == "Ada" }), ("no label", #Predicate { $0.label == "" }),
            ("some label", #Predicate { $0.label != "" }), ("label empty", #Predicate { $0.label.isEmpty }),
            ("label order", #Predicate { $0.label < "Ada" }), ("label end", #Predicate { $0.label >= "Ada" }),
            ("label is name", #Predicate { $0.label == ($0.name ?? "?") }),
            ("label before", #Predicate { $0.label < "" }),
            ("not label before", #Predicate { !("Ada" < $0.label) }),
            ("name or", #Predicate { ($0.name ?? "") == "" }),
            ("name or Ada", #Predicate { ($0.name ?? "Ada") == "Ada" }),
            ("name or label", #Predicate { ($0.name ?? $0.label) == "" }),
            ("next label", #Predicate { $0.next?.label == "" }),
            ("next label nil", #Predicate { $0.next?.label == nil }),
            ("next label not", #Predicate { $0.next?.label != "" }),
            ("next label or", #Predicate { ($0.next?.label ?? "") == "" }),
            ("next label or Ada", #Predicate { ($0.next?.label ?? "Ada") == "Ada" }),
            ("next name or", #Predicate { ($0.next?.name ?? "x") != "x" }),
            ("contains", #Predicate { $0.label.contains("da") }),
            ("contains all", #Predicate { $0.label.contains("") }),
            ("contains not", #Predicate { !$0.label.contains("m") }),
            ("contains next", #Predicate { $0.next?.label.contains("A") ?? false }),
            ("contains next nil", #Predicate { $0.next?.label.contains("A") == nil }),
            ("contains next not", #Predicate { $0.next?.label.contains("A") != true }),
            ("contains name", #Predicate { $0.name?.contains("a") == false }),
            ("label in text", #Predicate { "Adam".contains($0.label) }),
            ("starts", #Predicate { $0.label.starts(with: "Ad") }),
            ("starts all", #Predicate { $0.label.starts(with: "") }),
            ("starts with name", #Predicate { $0.label.starts(with: $0.name ?? "?") }),
            ("count", #Predicate { $0.label.count == 1 }), ("count 0", #Predicate { $0.label.count == 0 }),
            ("count name", #Predicate { $0.name?.count == 2 }),
            ("count nil", #Predicate { $0.name?.count == nil }),
            ("count or", #Predicate { ($0.name?.count ?? 0) < 3 }),
            ("units", #Predicate { $0.label.utf16.count == 11 }),
            ("units name", #Predicate { $0.name?.utf16.count == 3 }),
            ("name empty", #Predicate { $0.name?.isEmpty == true }),
            ("name empty or", #Predicate { $0.name?.isEmpty ?? true }),
        ]
    }

    private static var numbers: [Named] {
        let (zero, low, day, token) = (0, 1, Net.days[0], Net.token)
        let bounds = Bounds(minimum: -1, names: ["Ada"])
        let kind = Knot.Kind.plain
        return [
            ("number", #Predicate { $0.number == 0 }), ("number not", #Predicate { $0.number != 0 }),
            ("count", #Predicate { $0.count == 0 }), ("count not", #Predicate { $0.count != 0 }),
            ("count under", #Predicate { $0.count < 1 }), ("count over", #Predicate { $0.count > zero }),
            ("most", #Predicate { $0.most == 3 }), ("most not", #Predicate { $0.most != 3 }),
            ("most least", #Predicate { 3 <= $0.most }),
            ("most and most", #Predicate { $0.most == ($0.next?.most ?? 3) }),
            ("count is number", #Predicate { $0.count == ($0.number ?? -9) }),
            ("next count", #Predicate { $0.next?.count == 0 }),
            ("next most", #Predicate { ($0.next?.most ?? 3) == 3 }),
            ("next most or", #Predicate { ($0.next?.most ?? 4) == 4 }),
            ("minus", #Predicate { -$0.count > 0 }), ("minus 0", #Predicate { -$0.count == 0 }),
            ("minus number", #Predicate { $0.number.flatMap { -$0 } == 1 }),
            ("minus weight", #Predicate { -$0.weight < -1 }), ("minus low", #Predicate { $0.count > -low }),
            ("plus", #Predicate { $0.count + 1 == 1 }), ("times", #Predicate { $0.count * 2 <= $0.count }),
            ("plus number", #Predicate { ($0.number ?? 0) + $0.count == 0 }),
            ("plus mapped", #Predicate { $0.number.flatMap { $0 + 1 } == nil }),
            ("divided", #Predicate { $0.count / 2 == -3 }), ("rest", #Predicate { $0.count % 2 == -1 }),
            ("divided not", #Predicate { $0.count / 2 != 0 }), ("halved", #Predicate { $0.weight / 2 > 1 }),
            ("endless", #Predicate { $0.weight - $0.weight == $0.weight - $0.weight }),
            ("endless not", #Predicate { $0.weight - $0.weight != $0.weight - $0.weight }),
            ("endless zero", #Predicate { $0.weight * 0 != 0 }),
            ("endless order", #Predicate { !($0.weight * 0 < 1) }),
            ("endless size", #Predicate { $0.size.flatMap { $0 - $0 } == nil }),
            ("size", #Predicate { $0.size == 2.5 }), ("size not", #Predicate { $0.size != 2.5 }),
            ("sizes", #Predicate { ($0.size ?? 0) == $0.weight }),
            ("size or", #Predicate { ($0.size ?? 0) < 1 }),
            ("thick", #Predicate { $0.thickness == 0.1 }), ("thin", #Predicate { $0.thickness < 0.1 }),
            ("price", #Predicate { $0.price == 5 }), ("price not", #Predicate { $0.price != 5 }),
            ("price or", #Predicate { ($0.price ?? 0) < 6 }), ("day", #Predicate { $0.day == day }),
            ("day not", #Predicate { $0.day != day }), ("day or", #Predicate { ($0.day ?? day) > day }),
            ("token", #Predicate { $0.token == token }), ("token not", #Predicate { $0.token != token }),
            ("kind", #Predicate { $0.kind == kind }), ("kind not", #Predicate { $0.kind != kind }),
            ("next kind", #Predicate { $0.next?.kind == kind }),
            ("bounds", #Predicate { $0.count > -1 && $0.count <= 2 }),
            ("captured member", #Predicate { $0.count > bounds.minimum && !bounds.names.contains($0.label) }),
        ]
    }

    private static var collections: [Named] {
        let names = ["Ada", ""]
        let (numbers, some, none): ([Int], [Int?], [Int]) = ([0, 5], [nil, 1], [])
        let (range, open, wide) = (0...1, -7..<1, 1...)
        let set: Set<Int32> = [3, 4]
        let kinds = [Knot.Kind.plain]
        return [
            ("names", #Predicate { names.contains($0.label) }),
            ("names not", #Predicate { !names.contains($0.label) }),
            ("numbers", #Predicate { numbers.contains($0.count) }),
            ("some", #Predicate { some.contains($0.number) }),
            ("none", #Predicate { none.contains($0.count) }),
            ("some next", #Predicate { some.contains($0.next.flatMap { $0.count }) }),
            ("set", #Predicate { set.contains($0.most) }),
            ("number or", #Predicate { numbers.contains($0.number ?? 5) }),
            ("kinds", #Predicate { kinds.contains($0.kind) }),
            ("range", #Predicate { range.contains($0.count) }),
            ("open range", #Predicate { open.contains($0.count) }),
            ("wide range", #Predicate { wide.contains($0.count) }),
            ("literal range", #Predicate { (0...1).contains($0.count) }),
            ("range of two", #Predicate { (0..<$0.most).contains(3) }),
            ("some name", #Predicate { knot in names.contains { $0 == (knot.name ?? "") } }),
            ("all names", #Predicate { knot in names.allSatisfy { $0 != knot.label } }),
            ("no number", #Predicate { knot in none.contains { $0 == knot.count } }),
            ("all of none", #Predicate { knot in none.allSatisfy { $0 == knot.count } }),
            ("nil among", #Predicate { knot in some.contains { $0 == knot.number } }),
            ("previous", #Predicate { $0.previous.isEmpty }),
            ("previous 1", #Predicate { $0.previous.count == 1 }),
            ("previous flag", #Predicate { $0.previous.contains { $0.flag == nil } }),
            ("previous all", #Predicate { $0.previous.allSatisfy { $0.flag == true } }),
            ("previous not all", #Predicate { !$0.previous.allSatisfy { $0.isTight } }),
            ("previous self", #Predicate { $0.previous.contains($0) }),
            ("previous same", #Predicate { knot in knot.previous.contains { $0.count == knot.count } }),
            ("filter empty", #Predicate { $0.previous.filter { $0.isOpen }.isEmpty }),
            ("filter count", #Predicate { $0.previous.filter { $0.number != 1 }.count == 1 }),
            ("filter contains", #Predicate { $0.previous.filter { $0.isTight }.contains($0) }),
            ("filter where", #Predicate { $0.previous.filter { $0.isTight }.contains { $0.count == 0 } }),
            ("filter all", #Predicate { $0.previous.filter { $0.isTight }.allSatisfy { $0.label == "" } }),
            (
                "filter twice",
                #Predicate { $0.previous.filter { $0.isTight }.filter { !$0.isOpen }.count > 0 }
            ),
            (
                "filter outer",
                #Predicate { knot in knot.previous.filter { $0.count == knot.count }.count > 0 }
            ),
            ("next previous", #Predicate { $0.next?.previous.count == 1 }),
            ("next previous nil", #Predicate { $0.next?.previous.count == nil }),
            ("next previous or", #Predicate { ($0.next?.previous.count ?? 0) == 0 }),
            ("next previous empty", #Predicate { $0.next?.previous.isEmpty != true }),
            ("next previous where", #Predicate { $0.next?.previous.contains { $0.isOpen } ?? true }),
            ("next filter", #Predicate { $0.next?.previous.filter { $0.isOpen }.isEmpty ?? false }),
            (
                "previous of previous",
                #Predicate { $0.previous.contains { $0.previous.contains { $0.flag == nil } } }
            ),
        ]
    }
}

@Suite struct FoundationPredicateTests {
    @Test func `predicates of Foundation that stores cannot answer are refused by name`() throws {
        let model = try Net.model()
        let (table, words, dictionary) = ([1: 2], ["a"], ["a": 1])
        let limit = 2.0
        let refused: [(String, Predicate<Knot>)] = [
            ("CollectionIndexSubscript", #Predicate { words[$0.count] == "a" }),
            ("CollectionRangeSubscript", #Predicate { $0.words[0..<1].isEmpty }),
            ("DictionaryKeySubscript", #Predicate { table[$0.count] == 2 }),
            ("DictionaryKeyDefaultValueSubscript", #Predicate { dictionary[$0.label, default: 0] == 1 }),
            ("TypeCheck", #Predicate { $0 is Bow }), ("ConditionalCast", #Predicate { ($0 as? Bow) == nil }),
            ("divided by what may be 0", #Predicate { limit / $0.weight > 1 }),
            ("Float", #Predicate { $0.thickness * 3 == 0.3 }),
            ("Decimal", #Predicate { ($0.price ?? 0) * 3 == 15 }),
            ("Array<String>", #Predicate { $0.words.isEmpty }),
            ("UTF8View", #Predicate { $0.label.utf8.count == 2 }),
            ("Character", #Predicate { $0.label.contains("a" as Character) }),
        ]
        for (name, predicate) in refused {
            let error = #expect(throws: CofferError.self, "\(name)") { try model.queryPredicate(predicate) }
            #expect("\(String(describing: error))".contains(name), "\(name): \(String(describing: error))")
        }
    }

    @Test func `predicates of Foundation ask for columns as they are where that is exact`() throws {
        let model = try Net.model()
        let expected: [(Predicate<Knot>, String)] = [
            (#Predicate { $0.label == "Ada" }, "label == \"Ada\""),
            (#Predicate { $0.count > 3 }, "count > 3"),
            (#Predicate { $0.next?.label == "Ada" }, "next.label == \"Ada\""),
            (#Predicate { $0.flag ?? false }, "flag == YES"),
            (#Predicate { $0.name != nil }, "name != nil"),
            (#Predicate { $0.name != "Ada" }, "name != \"Ada\""),
            (#Predicate { ($0.name ?? "") == "Ada" }, "name == \"Ada\""),
        ]
        for (predicate, format) in expected {
            #expect(try model.queryPredicate(predicate).format == format)
        }
    }

    @Test(arguments: Backing.all)
    func `predicates of Foundation accept objects, which are the same in every context`(
        on backing: Backing
    ) throws {
        try withContainer(Net.model(), on: backing) { container in
            let context = container.newContext()
            let knots = try (0..<3).map { _ in
                try #require(try context.insert(entityNamed: "Knot") as? Knot)
            }
            try knots[0].setObjects([knots[1]], forKey: "next")
            try context.save()
            let (one, some, nothing): (Knot, [Knot], Knot?) = (knots[1], [knots[0], knots[1]], nil)
            let maybe: Knot? = one
            let expected: [(Predicate<Knot>, Set<Int>)] = [
                (#Predicate { $0 == one }, [1]), (#Predicate { $0 != one }, [0, 2]),
                (#Predicate { one == $0 }, [1]), (#Predicate { one != $0 }, [0, 2]),
                (#Predicate { $0.next == one }, [0]), (#Predicate { $0.next != one }, [1, 2]),
                (#Predicate { $0.next == maybe }, [0]), (#Predicate { maybe != $0.next }, [1, 2]),
                (#Predicate { $0.next == nothing }, [1, 2]), (#Predicate { some.contains($0) }, [0, 1]),
                (#Predicate { $0.previous.contains(one) }, []),
                (#Predicate { !$0.previous.filter { $0 == one }.contains(one) }, [0, 1, 2]),
                (#Predicate { $0.previous.contains { some.contains($0) } }, [1]),
            ]
            let other = container.newContext()
            let others = try other.fetch(FetchRequest<Knot>())
            for (place, (predicate, places)) in expected.enumerated() {
                let wanted = Set(places.map { knots[$0] })
                #expect(Set(try context.fetch(predicate)) == wanted, "\(place)")
                let ids = Set(wanted.map(\.objectID))
                #expect(
                    Set(try others.filter { try predicate.evaluate($0) }.map(\.objectID)) == ids, "\(place)")
            }
        }
    }

    @Test(arguments: Backing.all)
    func `predicates of Foundation accept ids of objects`(on backing: Backing) throws {
        try withContainer(Net.model(), on: backing) { container in
            let context = container.newContext()
            let knots = try (0..<3).map { _ in try context.insert(entityNamed: "Knot") }
            try knots[0].setObjects([knots[1]], forKey: "next")
            try context.save()
            let (id, ids) = (knots[1].objectID, [knots[0].objectID, knots[1].objectID])
            let nothing: ManagedObjectID? = nil
            let expected: [(Predicate<Knot>, Set<Int>)] = [
                (#Predicate { $0.objectID == id }, [1]), (#Predicate { $0.objectID != id }, [0, 2]),
                (#Predicate { ids.contains($0.objectID) }, [0, 1]),
                (#Predicate { $0.next?.objectID == id }, [0]),
                (#Predicate { $0.next?.objectID != id }, [1, 2]),
                (#Predicate { $0.next?.objectID == nothing }, [1, 2]),
                (#Predicate { $0.previous.contains { $0.objectID != id } }, [1]),
            ]
            for (predicate, places) in expected {
                let wanted = Set(places.map { knots[$0] })
                #expect(Set(try context.fetch(predicate)) == wanted)
                #expect(
                    Set(try knots.compactMap { $0 as? Knot }.filter { try predicate.evaluate($0) }) == wanted)
            }
        }
    }
}
