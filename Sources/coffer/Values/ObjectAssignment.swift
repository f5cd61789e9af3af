import Coffer
import CofferModel

extension PropertyDescription {
    /// Why no command can set it in a store; `nil` if one can.
    fileprivate var refusal: String? {
        if isTransient { return "it is transient, and no store keeps it" }
        return attribute?.derivationExpression == nil ? nil : "the store derives it from others"
    }
}

/// Sets what assignments say on objects of an entity.
///
/// Confined with its context. Everything is checked and looked up when it is made, before any object is
/// changed.
struct ObjectAssignment {
    private var values: [(key: String, value: AttributeValue)] = []
    private var sets: [String: [ManagedObject]] = [:]
    /// The objects that join to-many relationships, and those that leave them.
    private var joining: [String: [ManagedObject]] = [:]
    private var leaving: [String: [ManagedObject]] = [:]

    init(_ assignments: [Assignment], of entity: EntityDescription, in store: ToolStore) throws {
        for assignment in assignments {
            guard let property = entity.property(named: assignment.key) else {
                throw ToolError(
                    .data,
                    "'\(assignment.key)' is not a property of '\(entity.name)'; it has "
                        + entity.properties.map(\.name).joined(separator: ", ") + ".")
            }
            if let reason = property.refusal {
                throw ToolError(.data, "'\(assignment.key)' of '\(entity.name)' takes no value: \(reason).")
            }
            switch property {
            case .attribute(let attribute):
                if assignment.operation != .set { throw ObjectAssignment.unfit(assignment) }
                if values.contains(where: { $0.key == attribute.name }) {
                    throw ToolError(.usage, "'\(attribute.name)' takes one value, and was given several.")
                }
                let place = "\(entity.name).\(attribute.name)"
                let value = try assignment.value.map { text throws(ToolError) in
                    try ValueParser.value(text, of: attribute.type, place: place)
                }
                values.append((attribute.name, value ?? .null))
            case .relationship(let relationship) where assignment.operation != .set:
                guard relationship.isToMany else { throw ObjectAssignment.unfit(assignment) }
                let member = try ObjectAssignment.target(
                    assignment.value ?? "", of: relationship, in: store)
                if assignment.operation == .add {
                    joining[relationship.name, default: []].append(member)
                } else {
                    leaving[relationship.name, default: []].append(member)
                }
            case .relationship(let relationship):
                var members = sets[relationship.name] ?? []
                if !relationship.isToMany, sets[relationship.name] != nil {
                    throw ToolError(.usage, "'\(relationship.name)' takes one object, and was given several.")
                }
                if let text = assignment.value {
                    members.append(try ObjectAssignment.target(text, of: relationship, in: store))
                }
                sets[relationship.name] = members
            }
        }
        if let key = sets.keys.first(where: { joining[$0] != nil || leaving[$0] != nil }) {
            throw ToolError(.usage, "'\(key)' is set, and added to or taken from besides: do either.")
        }
    }

    private static func unfit(_ assignment: Assignment) -> ToolError {
        ToolError(
            .usage, "'\(assignment.key)' has one value: += and -= are for to-many relationships, = sets it.")
    }

    /// Sets them all on one object.
    func apply(to object: ManagedObject) throws {
        for (key, value) in values { try object.setValue(value, forKey: key) }
        for (key, members) in sets { try object.setObjects(members, forKey: key) }
        for key in Set(joining.keys).union(leaving.keys) {
            let gone = leaving[key] ?? []
            var members = object.objects(forKey: key).filter { member in !gone.contains { $0 === member } }
            for member in joining[key] ?? [] where !members.contains(where: { $0 === member }) {
                members.append(member)
            }
            try object.setObjects(members, forKey: key)
        }
    }

    /// The assigned values for a batch update, which sets attributes and to-one relationships.
    func constants() throws -> [String: any QueryArgument] {
        var constants: [String: any QueryArgument] = [:]
        if let key = joining.keys.first ?? leaving.keys.first {
            throw ToolError(.data, "--batch cannot change '\(key)', which is a to-many relationship.")
        }
        for (key, value) in values { constants[key] = value }
        for (key, members) in sets {
            guard members.count <= 1 else {
                throw ToolError(.data, "--batch cannot set '\(key)', which is a to-many relationship.")
            }
            constants[key] = members.first.map { AttributeValue.object($0.objectID) } ?? .null
        }
        return constants
    }

    /// The object that `attribute:text` or `Entity/p12` names.
    private static func target(
        _ text: String, of relationship: RelationshipDescription, in store: ToolStore
    ) throws -> ManagedObject {
        let destination = store.model.destination(of: relationship)
        if let id = try store.objectID(text, of: destination) {
            do throws(CofferError) {
                return try store.context.existingObject(with: id)
            } catch {
                guard case .objectDeleted = error else { throw error }
                throw ToolError(.noInput, "There is no object '\(text)'.")
            }
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2, let attribute = destination.property(named: parts[0])?.attribute else {
            throw ToolError(
                .data,
                "'\(relationship.name)' takes 'attribute:text' with an attribute of '\(destination.name)' ("
                    + destination.attributes.map(\.name).joined(separator: ", ")
                    + "), or '\(destination.name)/p12', not '\(text)'.")
        }
        let value = try ValueParser.value(
            parts[1], of: attribute.type, place: "\(destination.name).\(attribute.name)")
        // Stores compare decimals as the nearest doubles, and several decimals may have one nearest double.
        let request = try FetchRequest<ManagedObject>(entityName: destination.name)
            .matching("%K == %@", attribute.name, value).limit(attribute.type == .decimal ? 0 : 2)
        let found = try store.context.fetch(request).filter {
            ExactValue($0.value(forKey: attribute.name)) == ExactValue(value)
        }
        guard let first = found.first else {
            throw ToolError(.noInput, "No object of '\(destination.name)' has the \(parts[0]) '\(parts[1])'.")
        }
        guard found.count == 1 else {
            throw ToolError(
                .data, "More than one object of '\(destination.name)' has the \(parts[0]) '\(parts[1])'.")
        }
        return first
    }
}
