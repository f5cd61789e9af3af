import CofferFormats
import CofferModel

/// The doc comments of what is made of a model.
enum Documentation {
    /// Of an entity's class.
    static func lines(of entity: EntityDescription) -> [String] {
        var lines = text(in: entity.definition.userInfo)
        if lines.isEmpty { lines = ["An object of the entity `\(entity.name)`."] }
        if entity.isAbstract { lines += ["", "Abstract: only entities that inherit from it have objects."] }
        return lines
    }

    /// Of a property's name.
    static func lines(
        of property: PropertyDescription, notes: CodeNotes.Property, swiftName: String
    ) -> [String] {
        var facts: [String] = []
        if swiftName != property.name { facts.append("`\(property.name)` in the model.") }
        if property.isTransient { facts.append("Never stored.") }
        switch property {
        case .attribute(let attribute):
            if let expression = attribute.derivationExpression {
                facts.append("Derived from `\(oneLine(expression))` when it is saved.")
            }
            if attribute.type == .transformable {
                let transformer = attribute.transformerName.map { " by `\(oneLine($0))`" } ?? ""
                let target = notes.className.map { " of a `\(oneLine($0))`" } ?? ""
                facts.append(
                    "Bytes\(target), made\(transformer.isEmpty ? " by a transformer" : transformer).")
            }
        case .relationship(let relationship):
            if relationship.isOrdered { facts.append("In an order.") }
        }
        let text = text(in: notes.userInfo)
        let line = facts.isEmpty ? [] : [facts.joined(separator: " ")]
        return text.isEmpty || line.isEmpty ? text + line : text + [""] + line
    }

    /// Of a fetched property.
    static func lines(of property: FetchedPropertyDefinition, swiftName: String) -> [String] {
        var facts = "The objects of `\(property.request.entityName)`"
        if let predicate = property.request.predicate { facts += " that fit `\(oneLine(predicate))`" }
        facts += "; fetched once, until the object is refreshed."
        if swiftName != property.name { facts = "`\(property.name)` in the model. " + facts }
        let text = text(in: property.userInfo)
        return text + (text.isEmpty ? [] : [""]) + [
            facts, "", "- Throws: `CofferError`, as `fetchedObjects(forKey:)`.",
        ]
    }

    /// What the user info says for people, line by line.
    private static func text(in userInfo: [String: String]) -> [String] {
        for key in ["documentation", "description", "comment"] {
            guard let text = userInfo[key], text.contains(where: { !$0.isWhitespace }) else { continue }
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map { String($0.reversed().drop(while: \.isWhitespace).reversed()) }
            return Array(lines.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed())
        }
        return []
    }

    /// Text of the model, in one line.
    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
