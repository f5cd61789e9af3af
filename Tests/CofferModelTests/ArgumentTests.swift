import CofferModel
import FoundationEssentials
import Testing

@Suite struct `Arguments of formats` {
    @Test func `empty arguments of formats are collections, whatever they would have`() throws {
        let empty: [any QueryArgument] = [
            [String](), [Int](), [Int64](), [Double](), [Date](), [UUID](), [ManagedObjectID](), [Bool](),
            [String?](), [[UInt8]](), Set<String>(), [AttributeValue](), [QueryExpression](), [Data](),
        ]
        for argument in empty {
            let predicate = try QueryPredicate(format: "name IN %@", argument)
            #expect(predicate == .compare(.keyPath(["name"]), .in, .collection([])), "\(type(of: argument))")
            #expect(try !predicate.evaluate(on: ["name": "a"] as Subject))
        }
    }

    @Test func `arguments of formats that are bytes are binary values`() throws {
        for bytes in [[], [1, 2]] as [[UInt8]] {
            #expect(bytes.queryExpression == .constant(.binary(bytes)))
            let one: [UInt8]? = bytes
            #expect(one.queryExpression == .constant(.binary(bytes)))
        }
        #expect(
            [[1], []].map { $0 as [UInt8] }.queryExpression
                == .collection([[1], []].map { .constant(.binary($0)) }))
        #expect(Set<UInt8>([7]).queryExpression == .collection([.constant(.integer(7))]))
    }
}
