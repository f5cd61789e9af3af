import CofferModel
import FoundationEssentials

/// Turns a model into the XML that Xcode keeps of it.
enum ModelWriter {
    static func text(of model: ManagedObjectModel) -> String {
        var attributes = [
            XMLAttribute("type", "com.apple.IDECoreDataModeler.DataModel"),
            XMLAttribute("documentVersion", "1.0"),
            // Xcode asks for both; these are of Xcode 15, the first that knows all that is written here.
            XMLAttribute("lastSavedToolsVersion", "22758"),
            XMLAttribute("systemVersion", "23E224"),
            XMLAttribute("minimumToolsVersion", "Automatic"),
            XMLAttribute("sourceLanguage", "Swift"),
        ]
        if let identifier = model.versionIdentifiers.first {
            attributes.append(XMLAttribute("userDefinedModelVersionIdentifier", identifier))
        }
        let entities = model.entities.map(\.definition).sorted { $0.name < $1.name }.map { entity($0) }
        let configurations = model.configurations.sorted { $0.key < $1.key }.map { name, members in
            XMLElement(
                "configuration", attributes: [XMLAttribute("name", name)],
                children: members.map { XMLElement("memberEntity", attributes: [XMLAttribute("name", $0)]) })
        }
        return XMLDocumentWriter.text(
            of: XMLElement(
                "model", attributes: attributes, children: templates(model) + entities + configurations))
    }
}

extension ModelWriter {
    private static func entity(_ entity: EntityDefinition) -> XMLElement {
        var list = AttributeList()
        list.add("name", entity.name)
        list.add("representedClassName", entity.className)
        list.add("parentEntity", entity.superentity)
        list.add("isAbstract", entity.isAbstract)
        list.add("versionHashModifier", entity.versionHashModifier)
        list.add("elementID", entity.renamingIdentifier)
        list.add("syncable", true)
        var children = entity.attributes.map { attribute($0) } + entity.relationships.map { relationship($0) }
        children += entity.fetchedProperties.map { fetchedProperty($0) }
        children += entity.indexes.map { fetchIndex($0) }
        if !entity.uniquenessConstraints.isEmpty {
            children.append(XMLElement("uniquenessConstraints", children: constraints(entity)))
        }
        children += notes(entity.userInfo)
        return XMLElement("entity", attributes: list.attributes, children: children)
    }

    private static func attribute(_ attribute: AttributeDefinition) -> XMLElement {
        let bounds = attribute.type == .date ? "DateTimeInterval" : "ValueString"
        var list = AttributeList()
        list.add("name", attribute.name)
        list.add("optional", attribute.isOptional)
        list.add("transient", attribute.isTransient)
        list.add("attributeType", attribute.type.name)
        list.add("min\(bounds)", number(attribute.validation.minimum))
        list.add("max\(bounds)", number(attribute.validation.maximum))
        list.add(
            attribute.type == .date ? "defaultDateTimeInterval" : "defaultValueString",
            text(of: attribute.defaultValue))
        list.add("regularExpressionString", attribute.validation.regularExpression)
        list.add("valueTransformerName", attribute.transformerName)
        list.add("allowsExternalBinaryDataStorage", attribute.allowsExternalStorage)
        list.add("preserveAfterDeletion", attribute.preservesValueOnDeletion)
        list.add("indexed", attribute.isIndexed)
        list.add("spotlightIndexingEnabled", attribute.isTextIndexed)
        list.add("derived", attribute.derivationExpression != nil)
        list.add("derivationExpression", attribute.derivationExpression)
        list.add("versionHashModifier", attribute.versionHashModifier)
        list.add("elementID", attribute.renamingIdentifier)
        return XMLElement("attribute", attributes: list.attributes, children: notes(attribute.userInfo))
    }

    private static func relationship(_ relationship: RelationshipDefinition) -> XMLElement {
        var list = AttributeList()
        list.add("name", relationship.name)
        list.add("optional", relationship.isOptional)
        list.add("transient", relationship.isTransient)
        list.add("toMany", relationship.isToMany)
        list.add("minCount", relationship.minimumCount > 0 ? String(relationship.minimumCount) : nil)
        list.add("maxCount", relationship.maximumCount != 0 ? String(relationship.maximumCount) : nil)
        list.add("ordered", relationship.isOrdered)
        list.add("deletionRule", name(of: relationship.deleteRule))
        list.add("destinationEntity", relationship.destination)
        list.add("inverseName", relationship.inverse)
        list.add("inverseEntity", relationship.inverse.map { _ in relationship.destination })
        list.add("versionHashModifier", relationship.versionHashModifier)
        list.add("elementID", relationship.renamingIdentifier)
        return XMLElement(
            "relationship", attributes: list.attributes, children: notes(relationship.userInfo))
    }

    private static func templates(_ model: ManagedObjectModel) -> [XMLElement] {
        model.fetchRequestTemplates.map { request($0) }
    }

    private static func request(_ template: FetchRequestTemplate) -> XMLElement {
        var list = AttributeList()
        list.add("name", template.name)
        list.add("entity", template.entityName)
        list.add("predicateString", template.predicate)
        list.add("fetchLimit", template.limit > 0 ? String(template.limit) : nil)
        if !template.includesSubentities { list.add("includeSubentities", "NO") }
        if !template.includesPendingChanges { list.add("includesPendingChanges", "NO") }
        list.add("returnDistinctResults", template.returnsDistinctResults)
        return XMLElement("fetchRequest", attributes: list.attributes)
    }

    private static func fetchedProperty(_ property: FetchedPropertyDefinition) -> XMLElement {
        let children = [request(property.request)] + notes(property.userInfo)
        return XMLElement(
            "fetchedProperty",
            attributes: [XMLAttribute("name", property.name), XMLAttribute("optional", "YES")],
            children: children)
    }

    private static func notes(_ userInfo: [String: String]) -> [XMLElement] {
        if userInfo.isEmpty { return [] }
        let entries = userInfo.sorted { $0.key < $1.key }.map { key, value in
            XMLElement("entry", attributes: [XMLAttribute("key", key), XMLAttribute("value", value)])
        }
        return [XMLElement("userInfo", children: entries)]
    }

    private static func fetchIndex(_ index: FetchIndexDefinition) -> XMLElement {
        let elements = index.elements.map { element in
            XMLElement(
                "fetchIndexElement",
                attributes: [
                    element.expression.map { XMLAttribute("expression", $0) }
                        ?? XMLAttribute("property", element.property),
                    XMLAttribute("type", index.kind == .rTree ? "RTree" : "Binary"),
                    XMLAttribute("order", element.isAscending ? "ascending" : "descending"),
                ])
        }
        var list = AttributeList()
        list.add("name", index.name)
        list.add("partialIndexPredicate", index.partialPredicate)
        return XMLElement("fetchIndex", attributes: list.attributes, children: elements)
    }

    private static func constraints(_ entity: EntityDefinition) -> [XMLElement] {
        entity.uniquenessConstraints.map { names in
            XMLElement(
                "uniquenessConstraint",
                children: names.map { XMLElement("constraint", attributes: [XMLAttribute("value", $0)]) })
        }
    }

    private static func name(of rule: DeleteRule) -> String {
        switch rule {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }

    /// What Xcode writes for a default; `nil` for kinds that have none.
    private static func text(of value: AttributeValue) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "YES" : "NO"
        case .double(let number): String(number)
        case .float(let number): String(number)
        case .decimal(let number): number.description
        case .string(let text), .uri(let text): text
        case .date(let date): number(date.timeIntervalSinceReferenceDate)
        case .uuid(let uuid): uuid.uuidString
        case .null, .binary, .transformable, .object: nil
        }
    }

    private static func number(_ number: Double?) -> String? {
        number.map { number in Int64(exactly: number).map { String($0) } ?? String(number) }
    }
}

/// The attributes of one element, without those that say nothing.
private struct AttributeList {
    var attributes: [XMLAttribute] = []

    mutating func add(_ name: String, _ value: String?) {
        if let value { attributes.append(XMLAttribute(name, value)) }
    }

    mutating func add(_ name: String, _ flag: Bool) {
        if flag { attributes.append(XMLAttribute(name, "YES")) }
    }
}
