import CofferModel
import FoundationEssentials

extension ModelArchiveReader {
    /// The notes of an entity or a property, those that are texts.
    func userInfo(_ values: [String: PropertyListValue]) throws(FormatError) -> [String: String] {
        var userInfo: [String: String] = [:]
        for (key, value) in try archive.entries(values["NSUserInfo"]) { userInfo[key] = archive.text(value) }
        return userInfo
    }

    func attribute(
        _ object: KeyedArchive.Object, of entity: String
    ) throws(FormatError) -> AttributeDefinition {
        let values = object.values
        guard let name = archive.text(values["NSPropertyName"]),
            let number = archive.value(values["NSAttributeType"])?.integer
        else { throw .damagedPropertyList(reason: "an attribute of '\(entity)' lacks its name or type") }
        let isTransient = flag(values["NSIsTransient"])
        // A transient attribute may have no type, and has no column that depends on it.
        let known = UInt32(exactly: number).flatMap { AttributeType(rawValue: $0) }
        guard let type = known ?? (isTransient ? .transformable : nil) else {
            throw .unsupported(path: "Z_MODELCACHE", reason: "'\(entity).\(name)' has the type \(number)")
        }
        let flags = archive.value(values["NSFlagsKey"])?.integer ?? 0
        var attribute = AttributeDefinition(name, type)
        attribute.isOptional = flag(values["NSIsOptional"])
        attribute.isTransient = isTransient
        attribute.defaultValue = defaultValue(values["NSDefaultValue"], type)
        attribute.allowsExternalStorage = flags & ModelArchiveFlags.external != 0
        attribute.preservesValueOnDeletion = flags & ModelArchiveFlags.preserved != 0
        attribute.isIndexed = flag(values["NSIsIndexed"])
        attribute.isTextIndexed = type == .string && flag(values["NSIndexedBySpotlight"])
        attribute.transformerName = archive.text(values["NSValueTransformerName"])
        attribute.validation = try validation(values, type: type)
        attribute.versionHashModifier = archive.text(values["NSVersionHashModifier"])
        attribute.renamingIdentifier = renaming(values, of: name)
        attribute.userInfo = try userInfo(values)
        if object.className == "NSDerivedAttributeDescription" {
            guard let text = try expression(values["NSDerivationExpression"], depth: 0) else {
                throw .unsupported(
                    path: "Z_MODELCACHE",
                    reason: "'\(entity).\(name)' is derived by an expression of an unknown kind")
            }
            attribute.derivationExpression = text
        }
        return attribute
    }

    func relationship(
        _ object: KeyedArchive.Object, of entity: String
    ) throws(FormatError) -> RelationshipDefinition {
        let values = object.values
        let end = archive.object(values["NSDestinationEntity"]).flatMap {
            archive.text($0.values["NSEntityName"])
        }
        guard let name = archive.text(values["NSPropertyName"]),
            let destination = archive.text(values["_NSDestinationEntityName"]) ?? end
        else { throw .damagedPropertyList(reason: "a relationship of '\(entity)' lacks its name or end") }
        let inverse = archive.object(values["NSInverseRelationship"])
            .flatMap { archive.text($0.values["NSPropertyName"]) }
        let maximum = count(values["NSMaxCount"])
        var relationship = RelationshipDefinition(name, to: destination)
        relationship.inverse = archive.text(values["_NSInverseRelationshipName"]) ?? inverse
        relationship.isToMany = maximum != 1
        relationship.maximumCount = maximum
        relationship.minimumCount = count(values["NSMinCount"])
        relationship.isOrdered = flag(values["NSIsOrdered"])
        if relationship.isOrdered, !relationship.isToMany {
            // Xcode leaves the mark of one that was to-many before.
            relationship.isOrdered = false
            notice("\(entity).\(name)", "it leads to one object, so that its order is passed over")
        }
        relationship.isOptional = flag(values["NSIsOptional"])
        relationship.isTransient = flag(values["NSIsTransient"])
        relationship.deleteRule =
            archive.value(values["NSDeleteRule"])?.integer.flatMap { UInt32(exactly: $0) }
            .flatMap { DeleteRule(rawValue: $0) } ?? .nullify
        relationship.versionHashModifier = archive.text(values["NSVersionHashModifier"])
        relationship.renamingIdentifier = renaming(values, of: name)
        relationship.userInfo = try userInfo(values)
        return relationship
    }

    private func count(_ value: PropertyListValue?) -> Int {
        let number = archive.value(value)?.integer ?? 0
        return Int(exactly: Int32(clamping: number)) ?? 0
    }

    /// A default; null if the archive has it in a form that is not known.
    private func defaultValue(_ value: PropertyListValue?, _ type: AttributeType) -> AttributeValue {
        guard let found = archive.value(value) else { return .null }
        let object = archive.object(value)?.values ?? [:]
        let result: AttributeValue? =
            switch type {
            case .integer16, .integer32, .integer64: found.integer.map { .integer($0) }
            case .boolean: found == .null ? nil : .boolean(flag(value))
            case .double: real(found).map { .double($0) }
            case .float: real(found).map { .float(Float($0)) }
            case .string: archive.text(value).map { .string($0) }
            case .uri: archive.text(object["NS.relative"]).map { .uri($0) }
            case .date:
                real(archive.value(object["NS.time"])).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .binary: archive.bytes(value).map { .binary($0) }
            case .uuid: archive.bytes(object["NS.uuidbytes"]).flatMap { Self.uuid($0) }.map { .uuid($0) }
            case .decimal, .transformable: nil
            }
        return result.flatMap { $0.fits(type) ? $0 : nil } ?? .null
    }

    private func real(_ value: PropertyListValue?) -> Double? {
        switch value {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    private static func uuid(_ bytes: [UInt8]) -> UUID? {
        guard bytes.count == 16 else { return nil }
        let hexadecimal = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        var text = ""
        for (place, character) in hexadecimal.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(character)
        }
        return UUID(uuidString: text)
    }

    /// The text of an archived expression, of the kinds that derive attributes: key paths, and functions of
    /// one or none.
    func expression(_ value: PropertyListValue?, depth: Int) throws(FormatError) -> String? {
        guard depth < 4, let object = archive.object(value) else { return nil }
        switch object.className {
        case "NSKeyPathExpression":
            let paths = try archive.members(object.values["NSArguments"])
            return paths.first.flatMap { archive.object($0) }.flatMap { archive.text($0.values["NSKeyPath"]) }
        case "NSFunctionExpression":
            guard let name = archive.text(object.values["NSSelectorName"]) else { return nil }
            let arguments = try archive.members(object.values["NSArguments"])
            guard arguments.count <= 1 else { return nil }
            guard let argument = arguments.first else { return "\(name)()" }
            return try expression(argument, depth: depth + 1).map { "\(name)(\($0))" }
        default: return nil
        }
    }
}

/// Bits of `NSFlagsKey`.
enum ModelArchiveFlags {
    /// Values may be in files.
    static let external: Int64 = 4
    /// History keeps the last value.
    static let preserved: Int64 = 16
}
