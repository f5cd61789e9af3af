import ArgumentParser
import Coffer
import CofferModel

/// Which objects are meant by a command that changes them.
struct Selection: ParsableArguments {
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("A predicate, as Core Data writes them.", valueName: "format"))
    var predicate: String?

    @OptionGroup var ids: IDOptions

    @Flag(help: "All objects of the entity, in place of --where.") var all = false

    func validate() throws {
        guard [predicate != nil, !ids.ids.isEmpty, all].count(where: { $0 }) == 1 else {
            throw ValidationError("One of --where FORMAT, --id ID and --all says which objects.")
        }
    }

    func request(_ entity: EntityDescription, _ store: ToolStore) throws -> FetchRequest<ManagedObject> {
        FetchRequest(
            entityName: entity.name,
            try predicate.map { format in try store.predicate(format, of: entity) }
                ?? ids.predicate(entity, store))
    }
}

/// Objects by their ids.
struct IDOptions: ParsableArguments {
    @Option(
        name: .customLong("id"),
        help: ArgumentHelp(
            "The object that 'coffer fetch' shows with this id, such as Country/p12; may be given several times.",
            valueName: "id"))
    var ids: [String] = []

    /// The predicate that fits just these objects; `nil` if none was named.
    ///
    /// - Throws: An error if one of them is not there.
    func predicate(_ entity: EntityDescription, _ store: ToolStore) throws -> QueryPredicate? {
        if ids.isEmpty { return nil }
        let objectIDs = try ids.map { text throws(ToolError) in
            if let id = try store.objectID(text, of: entity) { return id }
            throw ToolError(.usage, "'\(text)' is not an id, such as '\(entity.name)/p12'.")
        }
        let predicate = try QueryPredicate(format: "SELF IN %@", objectIDs)
        let request = FetchRequest<ManagedObject>(entityName: entity.name, predicate)
        let found = Set(try store.context.fetch(request).map(\.objectID.primaryKey))
        for id in objectIDs where !found.contains(id.primaryKey) {
            throw ToolError(.noInput, "There is no object '\(id.shortName)'.")
        }
        return predicate
    }
}
