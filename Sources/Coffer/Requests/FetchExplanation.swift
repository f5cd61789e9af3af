public import CofferModel
import CofferWire
public import FoundationEssentials

/// How a store carries a fetch out.
public struct FetchExplanation: Sendable, Hashable {
    /// The store's UUID.
    public var store: UUID
    /// The SQL, with `?` for each value.
    public var sql: String
    /// SQLite's plan, a line for each step: `SCAN` reads a whole table, `SEARCH` uses a key or an index.
    public var plan: [String]
}

extension ManagedObjectContext {
    /// How each store that keeps the request's entity would carry it out; reads no rows.
    ///
    /// - Throws: `.predicate` if the request does not fit the model or has no meaning for a store,
    ///   `.unknown` if the entity does not exist, or why a store cannot be reached.
    public func explain<Object: ManagedObject>(
        _ request: FetchRequest<Object>, as resultType: FetchDescription.ResultType = .objects
    ) throws(CofferError) -> [FetchExplanation] {
        let plan = try plan(request)
        var description = plan.description
        description.resultType = resultType
        if resultType == .dictionaries { apply(request, to: &description) }
        var result: [FetchExplanation] = []
        for store in plan.stores {
            let record = registry.stores[Int(store)]
            let reply = try coordinator.explain(
                FetchRequestMessage(store: record.handle, fetch: description.asked(of: record.uuid)))
            result.append(FetchExplanation(store: record.uuid, sql: reply.sql, plan: reply.plan))
        }
        return result
    }
}
