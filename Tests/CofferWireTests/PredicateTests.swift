import CofferModel
import CofferWire
import FoundationEssentials
import Testing

@Test(arguments: 0..<300 as Range<UInt64>)
func `predicates come back from postfix order`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let predicate = dice.predicate(6)
    #expect(try QueryPredicate.made(of: predicate.nodes()) == predicate, "seed \(seed)")
}

private func fault(_ nodes: [PredicateNode]) -> String {
    do {
        _ = try QueryPredicate.made(of: nodes)
        return "none"
    } catch {
        return "\(error)"
    }
}

@Test func `operands that are missing, wrong or left over are named`() {
    #expect(fault([]) == "none")
    #expect(fault([.always(true)]) == "none")
    #expect(fault([.not]).contains("step 0 takes an operand, and finds none"))
    #expect(fault([.always(true), .and(2)]).contains("step 1 takes 2 operands, and finds 1"))
    #expect(fault([.evaluatedObject, .not]).contains("step 1 takes a predicate, and finds an expression"))
    #expect(
        fault([.evaluatedObject, .always(true), .comparison(.equal, .direct, [])])
            .contains("step 2 takes an expression, and finds a predicate"))
    #expect(fault([.always(true), .always(true)]).contains("2 operands are left over"))
    #expect(fault([.evaluatedObject]).contains("takes a predicate"))
    #expect(fault([.and(Int(UInt32.max))]).contains("takes 4294967295 operands"))
    #expect(fault(Array(repeating: .always(true), count: 20_001)).contains("20000 are allowed"))
}

@Test func `nesting is bounded both ways`() throws {
    let fits: [PredicateNode] = [.always(true)] + Array(repeating: .not, count: 199)
    let predicate = try #require(try QueryPredicate.made(of: fits))
    #expect(try predicate.nodes() == fits)
    #expect(fault(fits + [.not]).contains("deeper than 200 levels"))
    #expect(throws: WireError.self) { try QueryPredicate.not(predicate).nodes() }
}

@Test func `objects in a predicate get their entity when the model is known`() throws {
    let model = SampleModel.library
    let shelf = try #require(model.entity(named: "Shelf"))
    let store = UUID()
    let id = ManagedObjectID(entity: shelf, storeUUID: store, key: .permanent(12))
    let predicate = QueryPredicate.comparison(
        QueryComparison(.keyPath(["shelf"]), .equal, .constant(.object(id))))
    let request = FetchRequestMessage(
        store: 1, fetch: FetchDescription(entityName: "Book", predicate: predicate))
    var read = try FetchRequestMessage(packed: request.packed())
    #expect(read != request)
    try read.resolveObjects(in: model, storeUUID: store)
    #expect(read == request)
}
