import CofferModel

/// Writes a class.
struct ClassSource {
    let plan: ClassPlan.Class
    let types: TypeNames

    private var access: GenerationOptions.Access { plan.access }
    /// What stands before declarations.
    private var prefix: String { access == .internal ? "" : access.rawValue + " " }
    private var name: String { SwiftName.declared(plan.name) }

    /// The class, or the extension with its properties.
    var text: SourceText {
        var source = SourceText()
        if plan.kind == .whole { source.documentation(plan.documentation) }
        let isEmpty =
            plan.properties.isEmpty && plan.fetchedProperties.isEmpty && plan.inheritedNames != nil
            && !namesEntity
        if isEmpty {
            if plan.kind == .whole { source.line(head + " {}") }
            return source
        }
        source.braces(head) { source in
            if plan.inheritedNames == nil {
                names(&source)
            } else if !plan.properties.isEmpty {
                addedNames(&source)
                for property in plan.properties {
                    source.line()
                    accessor(property, &source)
                }
            }
            var isFirst = plan.properties.isEmpty && plan.inheritedNames != nil
            for property in plan.fetchedProperties {
                if !isFirst { source.line() }
                isFirst = false
                fetched(property, &source)
            }
            if namesEntity {
                if !isFirst { source.line() }
                source.documentation(["The name of the entity whose objects have this class."])
                let modifiers = access == .public ? "override open" : "\(prefix)override"
                source.line(
                    "\(plan.isFinal ? "\(prefix)override" : modifiers) class var entityName: \(types("String")) { \(SwiftName.literal(plan.entity.name)) }"
                )
            }
        }
        return source
    }

    /// Whether the class has another name than the entity and is written as a whole here, so that it can say
    /// so.
    private var namesEntity: Bool { plan.kind == .whole && plan.name != plan.entity.name }

    private var head: String {
        let conformance = types("ModeledObject")
        guard plan.kind == .whole else {
            return plan.inheritedNames == nil ? "extension \(name): \(conformance)" : "extension \(name)"
        }
        let superclass = plan.superclass.map { SwiftName.declared($0) } ?? types("ManagedObject")
        let parents = plan.inheritedNames == nil ? "\(superclass), \(conformance)" : superclass
        let modifier = plan.isFinal ? "\(prefix)final " : access == .public ? "open " : prefix
        return "\(modifier)class \(name): \(parents)"
    }

    private func names(_ source: inout SourceText) {
        source.documentation(["The names and types of the entity's properties."])
        source.braces("\(prefix)struct Properties: \(types("Sendable"))") { source in
            for property in plan.properties { constant(property, &source) }
        }
        source.line()
        source.documentation(["The names and types of the entity's properties."])
        source.line("\(prefix)static let properties = Properties()")
    }

    /// Names for a class whose superclass has names already, which come along.
    private func addedNames(_ source: inout SourceText) {
        guard let inherited = plan.inheritedNames else { return }
        let generic = types.unused("Name")
        source.documentation(["The names and types of the entity's properties, inherited ones included."])
        source.line("@dynamicMemberLookup")
        source.braces("\(prefix)struct AllProperties: \(types("Sendable"))") { source in
            for property in plan.properties { constant(property, &source) }
            source.line()
            source.documentation(["The only value."])
            source.line("\(prefix)static let names = AllProperties()")
            source.line()
            source.documentation(["A property that is inherited."])
            source.braces(
                "\(prefix)subscript<\(generic)>(dynamicMember path: \(types("KeyPath"))<\(inherited.type), \(generic)>) -> \(generic)"
            ) { $0.line("\(inherited.member)[keyPath: path]") }
        }
        source.line()
        source.documentation(["A request for the objects that fit a predicate over the properties."])
        source.braces(
            "\(prefix)static func `where`(_ predicate: (AllProperties) -> \(types("QueryPredicate"))) -> \(types("FetchRequest"))<\(name)>"
        ) { $0.line("\(types("FetchRequest"))(predicate(AllProperties.names))") }
    }

    private func constant(_ property: ClassPlan.Property, _ source: inout SourceText) {
        source.documentation(property.documentation)
        let type =
            switch property.shape {
            case .attribute(let type): "\(types("Attribute"))<\(type)>"
            case .toOne(let target): "\(types("ToOne"))<\(target)>"
            case .toMany(let target): "\(types("ToMany"))<\(target)>"
            }
        source.line(
            "\(prefix)let \(SwiftName.declared(property.name)) = \(type)(\(SwiftName.literal(property.key)))")
    }

    private func fetched(_ property: ClassPlan.FetchedProperty, _ source: inout SourceText) {
        source.documentation(property.documentation)
        let type = property.target ?? types("ManagedObject")
        let cast = property.target.map { target in ".compactMap { $0 as? \(target) }" } ?? ""
        source.braces("\(prefix)final var \(SwiftName.declared(property.name)): [\(type)]") { source in
            source.braces("get throws(\(types("CofferError")))") { source in
                source.line("try fetchedObjects(forKey: \(SwiftName.literal(property.key)))\(cast)")
            }
        }
    }

    private func accessor(_ property: ClassPlan.Property, _ source: inout SourceText) {
        source.documentation(property.documentation)
        let word = SwiftName.declared(property.name)
        let names = "AllProperties.names.\(word)"
        switch property.shape {
        case .attribute(let type):
            source.braces("\(prefix)final var \(word): \(type)") { source in
                source.line("get { value(of: \(names)) }")
                source.line("set { setValue(newValue, of: \(names)) }")
            }
        case .toOne(let target):
            source.braces("\(prefix)final var \(word): \(target)?") { source in
                source.line("get { target(of: \(names)) }")
                source.line("set { setTarget(newValue, of: \(names)) }")
            }
        case .toMany(let target):
            source.line(
                "\(prefix)final var \(word): \(types("RelatedObjects"))<\(target)> { members(of: \(names)) }")
        }
    }
}
