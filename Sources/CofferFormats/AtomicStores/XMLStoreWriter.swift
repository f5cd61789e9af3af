package import CofferModel
internal import FoundationEssentials

/// Writes XML stores as Core Data does: `NSXMLStoreType`.
///
/// Entities are in upper case, properties in lower case, objects are called `z` and a number, and values that
/// are null are left out.
package enum XMLStoreWriter {
    /// The version of the form that Core Data has written since 2005.
    private static let version = "134481920"

    /// The document with `content`, whose entities and properties are those of `model`.
    ///
    /// - Throws: `FormatError.unrepresentable` with object and attribute for a value that XML has no form
    ///   for, `.refused` if the reader would not take the document back.
    package static func bytes(
        of content: AtomicStoreContent, model: ManagedObjectModel, file: String
    ) throws(FormatError) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>\(version)</version>
                    <UUID>\(content.uuid?.uuidString ?? UUID().uuidString)</UUID>
                    <nextObjectID>\(content.lastObjectNumber ?? 0)</nextObjectID>
                    <metadata>

            """
        text += try XMLPropertyListWriter.lines(of: .dictionary(content.metadata), depth: 3)
        text += "        </metadata>\n    </databaseInfo>\n"
        var budget = AtomicStoreBudget(file: file)
        var elementCount = Limits.xmlStoreOverhead
        for object in content.objects {
            try budget.take(object)
            elementCount += 1 + object.values.count + object.references.count
            try append(object, model, to: &text)
            guard text.utf8.count <= Limits.xmlDocument - Limits.xmlStoreOverhead,
                elementCount <= Limits.xmlElements
            else {
                throw budget.refused(
                    "it has more than \(Limits.xmlDocument) bytes or \(Limits.xmlElements) elements")
            }
        }
        return Array((text + "</database>\n").utf8)
    }

    private static func append(
        _ object: AtomicStoreObject, _ model: ManagedObjectModel, to text: inout String
    ) throws(FormatError) {
        guard let entity = model.entity(named: object.entity) else {
            throw unrepresentable(object, "", reason: "the model has no such entity")
        }
        let type = try escaped(object.entity.uppercased(), of: object, "")
        text += "    <object type=\"\(type)\" id=\"\(try escaped(object.id, of: object, ""))\">\n"
        for property in entity.properties {
            let name = try escaped(property.name.lowercased(), of: object, property.name)
            if let attribute = property.attribute, let value = object.values[property.name] {
                let (type, value) = try form(of: value, attribute, of: object)
                text += "        <attribute name=\"\(name)\" type=\"\(type)\">\(value)</attribute>\n"
            } else if let relationship = property.relationship, !relationship.isTransient {
                let ids = object.references[property.name] ?? []
                let destination = model.destination(of: relationship).name.uppercased()
                text += "        <relationship name=\"\(name)\" type=\"\(counts(relationship))\" "
                text += "destination=\"\(try escaped(destination, of: object, property.name))\""
                if !ids.isEmpty { text += " idrefs=\"\(ids.joined(separator: " "))\"" }
                text += "></relationship>\n"
            }
        }
        text += "    </object>\n"
    }

    /// The least and greatest number of objects, in which 0 means none or no bound.
    private static func counts(_ relationship: RelationshipDescription) -> String {
        if !relationship.isToMany { return relationship.isOptional ? "0/1" : "1/1" }
        let least = relationship.isOptional ? 0 : max(1, relationship.definition.minimumCount)
        return "\(least)/\(relationship.definition.maximumCount)"
    }

    private static func form(
        of value: AtomicStoreValue, _ attribute: AttributeDescription, of object: AtomicStoreObject
    ) throws(FormatError) -> (type: String, text: String) {
        switch (value, attribute.type) {
        case (.integer(let number), .integer16): return ("int16", String(number))
        case (.integer(let number), .integer32): return ("int32", String(number))
        case (.integer(let number), _): return ("int64", String(number))
        case (.boolean(let isTrue), _): return ("bool", isTrue ? "1" : "0")
        case (.real(let number), let type):
            guard !number.isNaN else {
                throw unrepresentable(object, attribute.name, reason: "XML stores have no form for \(number)")
            }
            return type == .float ? ("float", Float(number).description) : ("double", number.description)
        case (.decimal(let digits), _): return ("decimal", digits)
        case (.date(let seconds), _): return ("date", seconds.description)
        case (.bytes(let bytes), _): return ("binary", Base64.text(of: bytes))
        case (.text(let text), .uuid): return ("uuid", text)
        case (.text(let text), let type):
            return (type == .uri ? "uri" : "string", try escaped(text, of: object, attribute.name))
        }
    }

    private static func escaped(
        _ text: String, of object: AtomicStoreObject, _ property: String
    ) throws(FormatError) -> String {
        if let escaped = XMLText.escaped(text) { return escaped }
        throw unrepresentable(object, property, reason: "XML cannot hold one of its characters")
    }

    private static func unrepresentable(
        _ object: AtomicStoreObject, _ property: String, reason: String
    ) -> FormatError {
        .unrepresentable(entity: object.entity, object: object.id, property: property, reason: reason)
    }
}
