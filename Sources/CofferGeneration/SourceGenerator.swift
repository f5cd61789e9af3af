package import CofferFormats
import CofferModel

/// A file that is made of a model.
package struct GeneratedFile: Sendable, Hashable {
    /// The name, without a folder.
    package let name: String
    /// The entity whose class is in it; `nil` for the file with the model.
    package let entity: String?
    /// All of its text.
    package let text: String
}

/// Makes Swift of a model: its classes, its fetch requests and the model itself.
package struct SourceGenerator {
    private let source: ModelSource
    private let options: GenerationOptions
    private let plan: ClassPlan
    /// The name of the model's file, without its ending.
    private let stem: String
    /// The name of the type that holds the model.
    package let modelName: String

    /// A generator that has found names for all.
    ///
    /// - Throws: `GenerationError`, naming entity and property.
    package init(_ source: ModelSource, options: GenerationOptions = GenerationOptions())
        throws(GenerationError)
    {
        self.source = source
        self.options = options
        plan = try ClassPlan(of: source, options: options)
        let ending = [".xcdatamodeld", ".xcdatamodel"].first { source.fileName.hasSuffix($0) } ?? ""
        stem = String(source.fileName.dropLast(ending.count))
        let made = SwiftName.upperCamel(stem)
        modelName = options.modelName ?? (made.hasSuffix("Model") ? made : made + "Model")
        let taken = plan.classNames.first { $0.value == modelName }
        let reason: String? =
            if !SwiftName.isIdentifier(modelName) || SwiftName.unreachable.contains(modelName) {
                "it cannot be the name of a type; give another with --model-name"
            } else if ReservedNames.used[modelName] != nil || ReservedNames.modules.contains(modelName) {
                "generated text uses another type or module of that name; give another with --model-name"
            } else if let taken {
                "the class of entity '\(taken.key)' has that name; give another with --model-name"
            } else { nil }
        if let reason { throw .invalidTypeName(modelName, entity: nil, reason: reason) }
    }

    /// The first line of each file, by which it is known again.
    package var header: String {
        Self.header(of: Documentation.oneLine(options.modelPath ?? source.fileName))
    }

    static func header(of fileName: String) -> String {
        "// Made of \(fileName) by 'coffer model generate', which writes over all changes."
    }

    /// The files, the model's first, the others in the order of the entities.
    ///
    /// - Throws: `GenerationError` if a fetch request cannot be written.
    package func files() throws(GenerationError) -> [GeneratedFile] {
        var requests: [String: [RequestSource]] = [:]
        var others: [RequestSource] = []
        for request in source.model.fetchRequestTemplates {
            let owner = plan.classes.first { $0.entity.name == request.entityName }
            let made = try function(of: request, in: owner)
            let known = owner.map { requests[$0.name] ?? [] } ?? others
            if known.contains(where: { $0.name == made.name })
                || owner == nil && ["model", "keyPaths"].contains(made.name)
            {
                throw .invalidRequest(
                    request.name, entity: request.entityName, reason: "Its name is used twice in Swift.")
            }
            if let owner { requests[owner.name, default: []].append(made) } else { others.append(made) }
        }
        let model = try ModelSourceText(
            source: source, plan: plan, name: modelName, access: plan.access, requests: others
        ).text()
        var parts: [(name: String, class: ClassPlan.Class?, text: SourceText)] = [(modelName, nil, model)]
        for planned in plan.classes {
            var text = ClassSource(plan: planned, types: plan.types).text
            if let requests = requests[planned.name] { try append(requests, of: planned, to: &text) }
            if !text.lines.isEmpty { parts.append((planned.name, planned, text)) }
        }
        guard options.isOneFile else {
            return parts.map { part in
                GeneratedFile(
                    name: fileName(part.name), entity: part.class?.entity.name,
                    text: file(part.text, for: part.class?.access ?? plan.access))
            }
        }
        var whole = SourceText()
        for part in parts { whole.append(part.text) }
        return [GeneratedFile(name: fileName(stem), entity: nil, text: file(whole, for: plan.access))]
    }

    private func function(
        of request: FetchRequestTemplate, in owner: ClassPlan.Class?
    ) throws(GenerationError) -> RequestSource {
        let type = plan.classNames[request.entityName].map { SwiftName.declared($0) }
        return try RequestSource(
            request, className: type ?? plan.types("ManagedObject"),
            knowsEntity: owner.map { $0.kind == .whole || $0.name == request.entityName } ?? false,
            types: plan.types, access: owner?.access ?? plan.access)
    }

    private func append(
        _ requests: [RequestSource], of planned: ClassPlan.Class, to text: inout SourceText
    ) throws(GenerationError) {
        var functions = SourceText(depth: 1)
        for (index, request) in requests.enumerated() {
            if index > 0 { functions.line() }
            try request.write(to: &functions)
        }
        var part = SourceText()
        part.braces("extension \(SwiftName.declared(planned.name))") { $0.lines(functions) }
        text.append(part)
    }

    private func fileName(_ name: String) -> String { "\(name)+Coffer.swift" }

    /// The text of a file: header, imports, declarations.
    private func file(_ body: SourceText, for access: GenerationOptions.Access) -> String {
        let keyword = access == .internal ? "import" : "\(access.rawValue) import"
        var text = SourceText()
        text.line(header)
        text.line("// swift-format-ignore-file")
        text.line()
        if body.uses("Coffer", plan.types) { text.line("\(keyword) Coffer") }
        if body.uses("FoundationEssentials", plan.types) {
            // Types that only defaults and predicates use are not seen by other modules: Swift warns of a
            // public import for them.
            let isSeen = body.uses(
                "FoundationEssentials", plan.types, inLinesOf: ["open", "public", "package"])
            text.line("\(isSeen ? keyword : "import") FoundationEssentials")
        }
        text.append(body)
        return text.text
    }
}
