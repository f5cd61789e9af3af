import CofferFormats
import CofferModel

/// Writes a model as Swift that builds it.
struct ModelSourceText {
    let source: ModelSource
    let plan: ClassPlan
    /// The name of the type that holds the model.
    let name: String
    let access: GenerationOptions.Access
    /// Fetch requests for objects without a class of ours.
    let requests: [RequestSource]

    private var types: TypeNames { plan.types }
    private var values: ValueSource { ValueSource(types: plan.types) }

    /// The type that holds the model.
    func text() throws(GenerationError) -> SourceText {
        let prefix = access == .internal ? "" : access.rawValue + " "
        let type = types("ManagedObjectModel")
        var functions = SourceText(depth: 1)
        for request in requests {
            functions.line()
            try request.write(to: &functions)
        }
        var text = SourceText()
        text.documentation(["The model of `\(Documentation.oneLine(source.fileName))`."])
        text.braces("\(prefix)enum \(SwiftName.declared(name))") { text in
            text.documentation([
                "Entities, and the classes of their objects.", "",
                "The model fits: it was checked when this was written.",
            ])
            text.braces("\(prefix)static let model: \(type) =", closing: "}()") { text in
                text.braces("do throws(\(types("ModelError")))", closing: "} catch {") { text in
                    write(to: &text)
                }
                text.line("    preconditionFailure(\"\\(error)\")")
                text.line("}")
            }
            if hasKeyPaths { writeKeyPaths(to: &text, prefix: prefix) }
            text.lines(functions)
        }
        return text
    }

    private var hasKeyPaths: Bool { plan.classes.contains { !$0.allProperties.isEmpty } }

    /// A function with a statement for each property, since large literals take the compiler long.
    private func writeKeyPaths(to text: inout SourceText, prefix: String) {
        text.line()
        text.documentation(["The names in the model of a class's properties, for predicates of Foundation."])
        let result = "[\(types("AnyKeyPath")): \(types("String"))]"
        text.braces("\(prefix)static func keyPaths(of type: \(types("ManagedObject")).Type) -> \(result)") {
            text in
            text.line("var names: \(result) = [:]")
            for planned in plan.classes where !planned.allProperties.isEmpty {
                let name = SwiftName.declared(planned.name)
                text.braces("if type == \(name).self") { text in
                    for property in planned.allProperties {
                        text.line(
                            "names[\\\(name).\(SwiftName.declared(property.name))] = \(SwiftName.literal(property.key))"
                        )
                    }
                }
            }
            text.line("return names")
        }
    }

    private func write(to text: inout SourceText) {
        let model = source.model
        let identifiers = model.versionIdentifiers.map { SwiftName.literal($0) }.joined(separator: ", ")
        let argument = identifiers.isEmpty ? "" : "(versionIdentifiers: [\(identifiers)])"
        let classes = model.entities.compactMap { entity in
            plan.classNames[entity.name].map { (entity.name, $0) }
        }
        .map { "\(SwiftName.literal($0.0)): \(SwiftName.declared($0.1)).self" }
        text.braces(
            "\(classes.isEmpty ? "return" : "let model =") try \(types("ManagedObjectModel"))\(argument)"
        ) { text in
            for entity in model.entities { write(entity.definition, to: &text) }
            for template in model.fetchRequestTemplates { text.line(request(template)) }
            for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
                let names = members.map { SwiftName.literal($0) }.joined(separator: ", ")
                text.line("\(types("Configuration"))(\(SwiftName.literal(name)), [\(names)])")
            }
        }
        if !classes.isEmpty {
            text.line("return model.withClasses([\(classes.joined(separator: ", "))])")
            if hasKeyPaths { text.line("    .withKeyPaths { keyPaths(of: $0) }") }
        }
    }

    private func write(_ entity: EntityDefinition, to text: inout SourceText) {
        var arguments = [SwiftName.literal(entity.name)]
        if let parent = entity.superentity { arguments.append("parent: \(SwiftName.literal(parent))") }
        if entity.isAbstract { arguments.append("abstract: true") }
        if let name = entity.className { arguments.append("className: \(SwiftName.literal(name))") }
        let tail =
            Self.modifiers(renamed: entity.renamingIdentifier, hash: entity.versionHashModifier)
            + Self.notes(entity.userInfo)
        let head = "\(types("Entity"))(\(arguments.joined(separator: ", ")))"
        let isEmpty =
            entity.attributes.isEmpty && entity.fetchedProperties.isEmpty && entity.relationships.isEmpty
            && entity.indexes.isEmpty
        if isEmpty && entity.uniquenessConstraints.isEmpty { return text.line(head + tail) }
        text.braces(head, closing: "}" + tail) { text in
            for attribute in entity.attributes { text.line(field(attribute)) }
            for relationship in entity.relationships { text.line(self.relationship(relationship)) }
            for property in entity.fetchedProperties { text.line(fetched(property)) }
            for index in entity.indexes { text.line(self.index(index)) }
            for names in entity.uniquenessConstraints {
                text.line(
                    "\(types("Unique"))(\(names.map { SwiftName.literal($0) }.joined(separator: ", ")))")
            }
        }
    }

    private static func notes(_ userInfo: [String: String]) -> String {
        userInfo.isEmpty ? "" : ".userInfo(\(literal(userInfo)))"
    }

    private static func literal(_ userInfo: [String: String]) -> String {
        let entries = userInfo.sorted { $0.key < $1.key }
            .map { "\(SwiftName.literal($0.key)): \(SwiftName.literal($0.value))" }
        return "[\(entries.joined(separator: ", "))]"
    }

    private static func modifiers(renamed: String?, hash: String?) -> String {
        (renamed.map { ".renamed(from: \(SwiftName.literal($0)))" } ?? "")
            + (hash.map { ".versionHashModifier(\(SwiftName.literal($0)))" } ?? "")
    }
}

extension ModelSourceText {
    private func field(_ attribute: AttributeDefinition) -> String {
        var text = "\(types("Field"))(\(SwiftName.literal(attribute.name)), .\(attribute.type))"
        // First, since what is derived is optional, whatever the file says.
        if let expression = attribute.derivationExpression {
            text += ".derived(from: \(SwiftName.literal(expression)))"
            if !attribute.isOptional { text += ".optional(false)" }
        } else if attribute.isOptional {
            text += ".optional()"
        }
        if let value = values.argument(attribute.defaultValue) { text += ".default(\(value))" }
        if attribute.isTransient { text += ".transient()" }
        if attribute.isIndexed { text += ".indexed()" }
        if attribute.isTextIndexed { text += ".textIndexed()" }
        if attribute.allowsExternalStorage { text += ".externalStorage()" }
        if attribute.preservesValueOnDeletion { text += ".preservedOnDeletion()" }
        if let name = attribute.transformerName { text += ".transformer(\(SwiftName.literal(name)))" }
        let validation = attribute.validation
        let bounds = [
            validation.minimum.map { "min: \(Self.number($0))" },
            validation.maximum.map { "max: \(Self.number($0))" },
            validation.regularExpression.map { "regex: \(SwiftName.literal($0))" },
        ].compactMap { $0 }
        if !bounds.isEmpty { text += ".validated(\(bounds.joined(separator: ", ")))" }
        for rule in validation.predicates {
            text +=
                ".validated(\(SwiftName.literal(rule.format)), message: \(SwiftName.literal(rule.message)))"
        }
        return text
            + Self.modifiers(renamed: attribute.renamingIdentifier, hash: attribute.versionHashModifier)
            + Self.notes(attribute.userInfo)
    }

    private static func number(_ number: Double) -> String {
        Int64(exactly: number).map { String($0) } ?? String(number)
    }

    private func relationship(_ relationship: RelationshipDefinition) -> String {
        var arguments = [SwiftName.literal(relationship.name), SwiftName.literal(relationship.destination)]
        if let inverse = relationship.inverse { arguments.append("inverse: \(SwiftName.literal(inverse))") }
        if relationship.deleteRule != .nullify { arguments.append("deleteRule: .\(relationship.deleteRule)") }
        if relationship.isOrdered { arguments.append("ordered: true") }
        var text = "\(types(relationship.isToMany ? "Many" : "One"))(\(arguments.joined(separator: ", ")))"
        if !relationship.isOptional { text += ".required()" }
        if relationship.minimumCount != 0 || relationship.maximumCount != (relationship.isToMany ? 0 : 1) {
            text += ".count(minimum: \(relationship.minimumCount), maximum: \(relationship.maximumCount))"
        }
        if relationship.isTransient { text += ".transient()" }
        return text
            + Self.modifiers(renamed: relationship.renamingIdentifier, hash: relationship.versionHashModifier)
            + Self.notes(relationship.userInfo)
    }

    private func request(_ template: FetchRequestTemplate) -> String {
        var text =
            "\(types("FetchRequestTemplate"))(\(SwiftName.literal(template.name)), \(arguments(of: template))"
        if !template.includesPendingChanges { text += ", includesPendingChanges: false" }
        if template.returnsDistinctResults { text += ", returnsDistinctResults: true" }
        return text + ")"
    }

    private func fetched(_ property: FetchedPropertyDefinition) -> String {
        var text =
            "\(types("Fetched"))(\(SwiftName.literal(property.name)), \(arguments(of: property.request))"
        if !property.userInfo.isEmpty { text += ", userInfo: \(Self.literal(property.userInfo))" }
        return text + ")"
    }

    private func arguments(of template: FetchRequestTemplate) -> String {
        var text = "entityName: \(SwiftName.literal(template.entityName))"
        if let predicate = template.predicate { text += ", predicate: \(SwiftName.literal(predicate))" }
        if template.limit > 0 { text += ", limit: \(template.limit)" }
        if !template.includesSubentities { text += ", includesSubentities: false" }
        return text
    }

    private func index(_ index: FetchIndexDefinition) -> String {
        let head = "\(types("Index"))(\(SwiftName.literal(index.name))"
        if index.isPlain, index.elements.allSatisfy(\.isAscending) {
            return
                "\(head), on: \(index.elements.map { SwiftName.literal($0.property) }.joined(separator: ", ")))"
        }
        let elements = index.elements.map { element in
            let subject =
                element.expression.map { "expression: \(SwiftName.literal($0))" }
                ?? SwiftName.literal(element.property)
            return ".init(\(subject)\(element.isAscending ? "" : ", isAscending: false"))"
        }
        var text = "\(head), elements: [\(elements.joined(separator: ", "))]"
        if index.kind == .rTree { text += ", kind: .rTree" }
        if let predicate = index.partialPredicate {
            text += ", partialPredicate: \(SwiftName.literal(predicate))"
        }
        return text + ")"
    }
}
