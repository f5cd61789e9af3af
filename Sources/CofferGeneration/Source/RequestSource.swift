import CofferFormats
import CofferModel

/// Writes the function of a fetch request template.
struct RequestSource {
    let request: FetchRequestTemplate
    /// The class of the objects, as it is written.
    let className: String
    /// Whether the class itself knows its entity.
    let knowsEntity: Bool
    let types: TypeNames
    let access: GenerationOptions.Access
    private let predicate: QueryPredicate?
    /// The name of the function.
    let name: String

    init(
        _ request: FetchRequestTemplate, className: String, knowsEntity: Bool, types: TypeNames,
        access: GenerationOptions.Access
    ) throws(GenerationError) {
        self.request = request
        self.className = className
        self.knowsEntity = knowsEntity
        self.types = types
        self.access = access
        let name = SwiftName.lowerCamel(request.name)
        // 'all' and others are there already.
        let isTaken = ReservedNames.type.contains(name) || SwiftName.unreachable.contains(name)
        self.name = isTaken ? name + "Request" : name
        do throws(QueryError) {
            predicate = try request.predicate.map { (text) throws(QueryError) in
                try QueryPredicate(format: text)
            }
        } catch { throw Self.error(request, error.description) }
        guard SwiftName.isIdentifier(self.name) else { throw Self.error(request, "Its name has no letters.") }
    }

    private static func error(_ request: FetchRequestTemplate, _ reason: String) -> GenerationError {
        .invalidRequest(request.name, entity: request.entityName, reason: reason)
    }

    /// Adds the function.
    func write(to source: inout SourceText) throws(GenerationError) {
        let variables = predicate?.unfilledVariables ?? []
        var arguments: [String: String] = [:]
        for variable in variables {
            arguments[variable] = Self.parameter(variable) ?? SwiftName.declared(variable)
        }
        let initial: String
        if let predicate {
            guard let text = ValueSource(types: types).predicate(predicate, arguments),
                variables.allSatisfy({ SwiftName.isIdentifier($0) })
            else { throw Self.error(request, "Its predicate names what only a program can name.") }
            initial = text
        } else {
            initial = "nil"
        }
        var documentation = ["The fetch request `\(Documentation.oneLine(request.name))` of the model."]
        if let text = request.predicate {
            documentation += ["", "Predicate: `\(Documentation.oneLine(text))`"]
        }
        source.documentation(documentation)
        let parameters = variables.map { variable in
            let name = Self.parameter(variable).map { " \($0)" } ?? ""
            return "\(SwiftName.declared(variable))\(name): some \(types("QueryArgument"))"
        }
        let modifier = access == .internal ? "" : access.rawValue + " "
        let type = "\(types("FetchRequest"))<\(className)>"
        source.braces(
            "\(modifier)static func \(SwiftName.declared(name))(\(parameters.joined(separator: ", "))) -> \(type)"
        ) { source in
            let entity = knowsEntity ? "" : "entityName: \(SwiftName.literal(request.entityName)), "
            let settings = settings
            guard !settings.isEmpty else { return source.line("\(type)(\(entity)\(initial))") }
            source.line("var request = \(type)(\(entity)\(initial))")
            for setting in settings { source.line("request.\(setting)") }
            source.line("return request")
        }
    }

    /// What a parameter is called inside the function, if the function needs the variable's name for a type
    /// or a module.
    private static func parameter(_ variable: String) -> String? {
        let isUsed = ReservedNames.used[variable] != nil || ReservedNames.modules.contains(variable)
        return isUsed ? variable + "Argument" : nil
    }

    private var settings: [String] {
        var settings: [String] = []
        if request.limit > 0 { settings.append("limit = \(request.limit)") }
        if !request.includesSubentities { settings.append("includesSubentities = false") }
        if !request.includesPendingChanges { settings.append("includesPendingChanges = false") }
        if request.returnsDistinctResults { settings.append("returnsDistinctResults = true") }
        return settings
    }
}
