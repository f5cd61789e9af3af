import ArgumentParser
import Coffer
import CofferModel

/// `coffer fetch`: reads objects.
struct Fetch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print objects of an entity.",
        discussion: """
            Without --properties each object comes with its id and all its attributes and to-one relationships; the id is called \
            'objectID' where a property is called 'id'. Dates in predicates are texts such as "2026-01-31" or \
            "2026-01-31T12:00:00Z".

            Values whose files are missing are told at the end and printed as null; then the exit code is 65. With --properties \
            such a fetch ends there.

            Examples:
              coffer fetch Codes Country --where 'name BEGINSWITH[cd] "s"' --sort -name
              coffer fetch Codes Subdivision --properties code,name,country.name --json
              coffer fetch Codes Language --where 'scope == "M"' --count
              coffer fetch Library --template longBooks --variable LEAST=500
            """)

    @Argument(help: "The store.", completion: .stores) var store: String
    @Argument(help: "The entity; left out with --template.", completion: .entities) var entity: String?
    @Option(help: ArgumentHelp("A fetch request template of the model.", valueName: "name"))
    var template: String?
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A variable of the template: a value as predicates write it, or else a text.",
            valueName: "name=value"))
    var variable: [String] = []
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("A predicate, as Core Data writes them.", valueName: "format"))
    var predicate: String?
    @OptionGroup var ids: IDOptions
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Key paths to sort by, the first counts most; '-' before one turns it round.", valueName: "a,-b"))
    var sort: String?
    @Option(parsing: .unconditional, help: "Print at most this many.")
    var limit: Int?
    @Option(parsing: .unconditional, help: "Leave out this many at the beginning.")
    var offset = 0
    @Option(help: ArgumentHelp("Key paths to print, through to-one relationships.", valueName: "a,b.c"))
    var properties: String?
    @Flag(help: "Print how many there are, with --distinct how many different lines.") var count = false
    @Flag(help: "Print equal lines once; needs --properties.") var distinct = false
    @Flag(help: "Print the SQL and SQLite's plan instead; reads no rows.") var explain = false
    @OptionGroup var options: StoreOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more.") }
        guard (entity == nil) != (template == nil) else {
            throw ValidationError("Either an entity or --template says what to fetch, and not both.")
        }
        if template == nil, !variable.isEmpty { throw ValidationError("--variable needs --template.") }
        if template != nil, predicate != nil { throw ValidationError("--template has its own --where.") }
        if !ids.ids.isEmpty, template != nil || predicate != nil {
            throw ValidationError("--id cannot be combined with --template or --where.")
        }
        if let odd = variable.first(where: { !$0.contains("=") }) {
            throw ValidationError("--variable wants name=value, not '\(odd)'.")
        }
        if let properties {
            let names = Fetch.names(properties)
            if names.contains("") {
                throw ValidationError(
                    "--properties wants names with commas between them, not '\(properties)'.")
            }
            if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
                throw ValidationError("--properties names '\(twice)' twice.")
            }
        }
        if let sort, Fetch.sorts(sort).contains(where: { $0.keyPath == [""] }) {
            throw ValidationError("--sort wants names with commas between them, not '\(sort)'.")
        }
        if offset < 0 { throw ValidationError("--offset is 0 or more.") }
        if distinct && properties == nil { throw ValidationError("--distinct needs --properties.") }
    }

    func run() throws {
        try reporting {
            let opened = try options.open(store, for: reading.access)
            var request = try self.request(opened)
            let entity = try opened.entity(request.entityName ?? "")
            request.sortDescriptors = Fetch.sorts(sort)
            if let limit { request.limit = limit }
            request.offset = offset
            if let properties {
                request.propertiesToFetch = Fetch.names(properties)
                request.returnsDistinctResults = distinct
            }
            if explain { return try printPlan(request, opened) }
            if count { return try printCount(request, opened) }
            if properties != nil {
                return try printValues(request, opened)
            }
            try printObjects(of: request, entity: entity, in: opened)
        }
    }

    private func request(_ opened: ToolStore) throws -> FetchRequest<ManagedObject> {
        guard let template else {
            let entity = try opened.entity(entity ?? "")
            return FetchRequest(
                entityName: entity.name,
                try predicate.map { format in try opened.predicate(format, of: entity) }
                    ?? ids.predicate(entity, opened))
        }
        guard opened.model.fetchRequestTemplate(forName: template) != nil else {
            let names = opened.model.fetchRequestTemplates.map(\.name).joined(separator: ", ")
            throw ToolError(
                .data,
                names.isEmpty
                    ? "The model has no fetch request templates."
                    : "The model has no fetch request template '\(template)'; it has \(names).")
        }
        var values: [String: any QueryArgument] = [:]
        for variable in variable {
            let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = Self.value(String(parts[1]))
        }
        return try opened.model.fetchRequestFromTemplate(withName: template, substitutionVariables: values)
    }

    /// A value as predicates write it, or a text.
    static func value(_ text: String) -> any QueryArgument {
        // What cannot be read is a text, whatever the reason.
        if case .constant(let value)? = try? QueryExpression(format: text) { value } else { text }
    }

    /// `a,-b` as sort descriptors.
    static func sorts(_ text: String?) -> [QuerySort] {
        guard let text else { return [] }
        return names(text).map { part in
            part.hasPrefix("-") ? QuerySort(String(part.dropFirst()), ascending: false) : QuerySort(part)
        }
    }

    /// `a, b` as `a` and `b`.
    static func names(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func printPlan(_ request: FetchRequest<ManagedObject>, _ opened: ToolStore) throws {
        let type: FetchDescription.ResultType =
            count && !distinct ? .count : properties == nil ? .objects : .dictionaries
        let printer = output.printer(["step", "detail"])
        for explanation in try opened.context.explain(request, as: type) {
            try printer.print([.text("sql"), .text(explanation.sql)])
            for line in explanation.plan { try printer.print([.text("plan"), .text(line)]) }
        }
        try printer.finish()
    }

    private func printCount(_ request: FetchRequest<ManagedObject>, _ opened: ToolStore) throws {
        var number = 0
        if distinct {
            try forEachRecord(of: request, in: opened) { _ in number += 1 }
        } else {
            number = try opened.context.count(for: request)
        }
        let printer = output.printer(["count"])
        try printer.print([.integer(number)])
        try printer.finish()
    }

    /// Records that are read at a time: the tool takes memory for these only, however many there are.
    private static let pageLength = 2_000

    private func printValues(_ request: FetchRequest<ManagedObject>, _ opened: ToolStore) throws {
        let printer = output.printer(request.propertiesToFetch)
        try forEachRecord(of: request, in: opened) { values in
            try printer.print(request.propertiesToFetch.map { OutputValue(values[$0] ?? .null) })
        }
        try printer.finish()
    }

    /// Reads records page by page, and lends each to `body`.
    private func forEachRecord(
        of request: FetchRequest<ManagedObject>, in opened: ToolStore,
        _ body: ([String: AttributeValue]) throws -> Void
    ) throws {
        var (page, length, left) = (request, Self.pageLength, request.limit ?? .max)
        do throws(CofferError) {
            // All pages are of one state, whatever is saved meanwhile.
            try opened.context.setQueryGeneration(from: .current)
        } catch {
            guard case .refused = error else { throw error }
            length = .max  // There is no room for one more state: then all is one page.
        }
        while left > 0 {
            page.limit = left < .max || length < .max ? min(left, length) : nil
            let found = try records(of: page, in: opened)
            for values in found { try body(values) }
            if found.count < length { break }
            left -= found.count
            page.offset += found.count
        }
    }

    private func records(
        of page: FetchRequest<ManagedObject>, in opened: ToolStore
    ) throws -> [[String: AttributeValue]] {
        do throws(CofferError) {
            return try opened.context.fetchDictionaries(page)
        } catch {
            guard case .refused(_, "damaged", let text, _) = error else { throw error }
            throw ToolError(.data, text)
        }
    }

    private func printObjects(
        of request: FetchRequest<ManagedObject>, entity: EntityDescription, in opened: ToolStore
    ) throws {
        let names = entity.storedNames
        let printer = output.printer([entity.idColumn] + names)
        var losses = LostValues(of: entity, in: opened)
        for object in try opened.context.fetchLazily(request.batchSize(Self.pageLength)) {
            if let error = opened.context.lastFaultError { throw error }
            do throws(CofferError) {
                // Large values in files come now only; what cannot be read must not pass for null.
                try object.requireValues()
            } catch {
                // Deleted by another client, since the tool asked which objects there are.
                if case .objectDeleted = error { continue }
                let values = try losses.others(than: error, of: object)
                try printer.print(
                    [.text(object.objectID.shortName)]
                        + names.map { OutputValue(values[$0] ?? object.value(forKey: $0)) })
                continue
            }
            try printer.print(
                [.text(object.objectID.shortName)] + names.map { OutputValue(object.value(forKey: $0)) })
        }
        try printer.finish()
        try losses.check()
    }
}

extension EntityDescription {
    /// Attributes and to-one relationships that stores keep.
    var storedNames: [String] {
        properties.filter { !$0.isTransient && !($0.relationship?.isToMany ?? false) }.map(\.name)
    }

    /// What an object's id is called beside its values: another name if a property has that one.
    var idColumn: String {
        let names = Set(storedNames)
        return ["id", "objectID"].first { !names.contains($0) } ?? "_objectID"
    }
}
