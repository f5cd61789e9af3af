import CofferModel

/// Makes a mapping model of the objects of its archive.
struct MappingArchiveReader {
    private let archive: KeyedArchive
    private let path: String

    init(_ archive: KeyedArchive, path: String) {
        (self.archive, self.path) = (archive, path)
    }

    func model() throws(FormatError) -> MappingModel {
        guard archive.root.className == "NSMappingModel" else {
            throw .unsupported(path: path, reason: "its archive holds no mapping model")
        }
        let list = archive.root.values["NSEntityMappings"] ?? archive.root.values["NSEntityMappingsByName"]
        var entities: [MappingModel.Entity] = []
        for member in try archive.members(list) {
            guard let object = archive.object(member), object.className == "NSEntityMapping",
                let name = archive.text(object.values["NSMappingName"])
            else { throw .damagedPropertyList(reason: "an entity mapping has no name") }
            entities.append(try entity(name, object.values))
        }
        try archive.checkToll()
        return MappingModel(entities: entities)
    }

    private func entity(
        _ name: String, _ values: [String: PropertyListValue]
    ) throws(FormatError) -> MappingModel.Entity {
        let number = archive.value(values["NSMappingType"])?.integer ?? 0
        guard let kind = MappingModel.Kind(rawValue: number) else {
            throw .unsupported(path: path, reason: "the mapping '\(name)' is of the unknown kind \(number)")
        }
        var entity = MappingModel.Entity(
            name, kind: kind, source: archive.text(values["NSSourceEntityName"]),
            destination: archive.text(values["NSDestinationEntityName"]))
        entity.sourceHash = archive.bytes(values["NSSourceEntityVersionHash"])
        entity.destinationHash = archive.bytes(values["NSDestinationEntityVersionHash"])
        entity.policyClassName = archive.text(values["NSEntityMigrationPolicyClassName"])
        entity.predicate = try predicate(values["NSSourceExpression"])
        entity.attributes = try properties(values["NSAttributeMappings"], of: name)
        entity.relationships = try properties(values["NSRelationshipMappings"], of: name)
        for (key, value) in try archive.entries(values["NSUserInfo"]) {
            entity.userInfo[key] = archive.text(value)
        }
        return entity
    }

    /// The predicate for an entity's objects; `nil` if all are wanted.
    ///
    /// It is the second argument of what makes the request for the objects.
    private func predicate(_ value: PropertyListValue?) throws(FormatError) -> String? {
        guard let request = archive.object(value).flatMap({ archive.object($0.values["NSFRExpression"]) })
        else {
            return nil
        }
        let arguments = try archive.members(request.values["NSArguments"])
        guard arguments.count == 2, let constant = archive.object(arguments[1]) else { return nil }
        let format = archive.text(constant.values["NSConstantValue"])
        return format == "TRUEPREDICATE" ? nil : format
    }

    private func properties(
        _ value: PropertyListValue?, of entity: String
    ) throws(FormatError) -> [MappingModel.Property] {
        var properties: [MappingModel.Property] = []
        for member in try archive.members(value) {
            guard let values = archive.object(member)?.values,
                let name = archive.text(values["NSDestinationPropertyName"])
            else { throw .damagedPropertyList(reason: "a property mapping of '\(entity)' has no name") }
            let expression = values["NSValueExpression"]
            if archive.object(expression) == nil {
                properties.append(.init(name, .none))
                continue
            }
            guard let mapped = try self.value(expression) else {
                throw .unsupported(
                    path: path, reason: "the value of '\(entity).\(name)' is an expression of an unknown kind"
                )
            }
            properties.append(.init(name, mapped))
        }
        return properties
    }

    /// The value that an archived expression gives; `nil` if it is of an unknown kind.
    func value(_ value: PropertyListValue?) throws(FormatError) -> MappingModel.Value? {
        if let object = archive.object(value), object.className == "NSFunctionExpression",
            let selector = archive.text(object.values["NSSelectorName"])
        {
            let arguments = try archive.members(object.values["NSArguments"])
            let name = arguments.first.flatMap { archive.object($0) }.flatMap {
                archive.text($0.values["NSConstantValue"])
            }
            if arguments.count == 2, let name, let objects = try text(arguments[1], depth: 0) {
                switch selector {
                case "destinationInstancesForEntityMappingNamed:sourceInstances:":
                    return .mapped(by: name, objects: objects)
                case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
                    return .mappedRelationship(name, objects: objects)
                default: break
                }
            }
        }
        return try text(value, depth: 0).map { .expression($0) }
    }

    /// An expression as Xcode shows it; `nil` if it is of an unknown kind.
    private func text(_ value: PropertyListValue?, depth: Int) throws(FormatError) -> String? {
        guard depth < archivedPredicateDepth, let object = archive.object(value) else { return nil }
        if object.className == "NSFunctionExpression" {
            guard let selector = archive.text(object.values["NSSelectorName"]),
                let operand = try text(object.values["NSOperand"], depth: depth + 1)
            else { return nil }
            var parts = [operand, "\"\(selector)\""]
            for argument in try archive.members(object.values["NSArguments"]) {
                guard let part = try text(argument, depth: depth + 1) else { return nil }
                parts.append(part)
            }
            return "FUNCTION(\(parts.joined(separator: ", ")))"
        }
        return try ModelArchiveReader(archive, path: path).queryExpression(value, depth: depth)?.description
    }
}
