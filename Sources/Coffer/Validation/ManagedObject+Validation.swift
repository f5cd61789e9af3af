import CofferModel
import FoundationEssentials

/// What an object is validated for.
public enum ValidationEvent: Sendable, Hashable, CaseIterable {
    /// The object is to be inserted.
    case insert
    /// The object is to be updated.
    case update
    /// The object is to be deleted.
    case delete
}

extension ManagedObject {
    /// Everything that forbids saving the object as it is: what the model demands, and what its class checks.
    ///
    /// The first includes what no store can keep: a number outside its attribute's range, or a value that is
    /// not a number (NaN).
    ///
    /// A save checks this for all objects, and reports everything at once. What only a store knows, such as
    /// uniqueness and the objects at the other ends that the context does not have, it judges besides.
    public final func validationFailures(for event: ValidationEvent) -> [ValidationFailure] {
        modelFailures(for: event) + customFailures(for: event)
    }

    /// What the class itself and predicates of the model say; few objects have any of it.
    final func customFailures(for event: ValidationEvent) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        // The store never sees a value that was set there, and judges what it computes itself by no rule.
        for slot in layout.requiredDerivedSlots where event == .insert && rawContent(slot).value.isNull {
            failures.append(failure(of: entity.properties[slot].name, .required, "must have a value"))
        }
        if event != .delete {
            for rule in layout.predicateRules where isJudged(rule.slot, event) {
                if let failure = failure(rule) { failures.append(failure) }
            }
            for key in type(of: self).validatedKeys {
                guard let slot = entity.propertyIndex(named: key), layout.attributeTypes[slot] != nil,
                    isJudged(slot, event)
                else { continue }
                let value = content(slot).value
                append(to: &failures, key: key, value: value) { try validateValue(value, forKey: key) }
            }
        }
        append(to: &failures, key: "", value: .null) {
            switch event {
            case .insert: try validateForInsert()
            case .update: try validateForUpdate()
            case .delete: try validateForDelete()
            }
        }
        return failures
    }

    private final func append(
        to failures: inout [ValidationFailure], key: String, value: AttributeValue,
        _ body: () throws -> Void
    ) {
        do {
            try body()
        } catch {
            failures.append(
                ValidationFailure(
                    objectID: objectID, property: key, reason: .custom, text: "\(error)", value: value))
        }
    }

    private final func failure(_ rule: PredicateRule) -> ValidationFailure? {
        let value = content(rule.slot).value
        if value.isNull || value.isNaN { return nil }
        var text = rule.message
        do throws(QueryError) {
            let predicate = try rule.predicate.get()
            if try predicate.evaluate(on: ValueSubject(value)) { return nil }
        } catch {
            text = "The rule of the model cannot be used: \(error)"
        }
        return ValidationFailure(
            objectID: objectID, property: entity.properties[rule.slot].name, reason: .predicate, text: text,
            value: value, predicate: rule.format)
    }

    /// Whether a property is looked at: of an update only what changed.
    private final func isJudged(_ slot: Int, _ event: ValidationEvent) -> Bool {
        event == .insert || edits?.changed[slot] != nil || (edits?.toMany[slot]?.isChanged ?? false)
    }
}

extension ManagedObject {
    /// What the model demands.
    private final func modelFailures(for event: ValidationEvent) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for (slot, property) in entity.properties.enumerated() {
            if event == .delete {
                if let relationship = layout.relationships[slot] { deny(relationship, &failures) }
                continue
            }
            guard isJudged(slot, event) else { continue }
            switch property {
            case .attribute(let attribute): check(attribute, &failures)
            case .relationship(let relationship): check(relationship, &failures)
            }
        }
        return failures
    }

    private final func deny(_ relationship: RelationshipLayout, _ failures: inout [ValidationFailure]) {
        guard relationship.deleteRule == .deny else { return }
        let isHeld =
            relationship.isToMany
            ? !members(relationship).isEmpty : target(relationship) != nil
        guard isHeld else { return }
        failures.append(
            failure(of: relationship.name, .deleteDenied, "still has objects, which forbid to delete it"))
    }

    private final func check(_ attribute: AttributeDescription, _ failures: inout [ValidationFailure]) {
        if attribute.isTransient || attribute.derivationExpression != nil { return }
        let value = rawContent(attribute.index).value
        if value.isNull {
            if !attribute.isOptional {
                failures.append(failure(of: attribute.name, .required, "must have a value"))
            }
            return
        }
        if value.isNaN {
            let what = "is not a number (NaN), which no store can keep"
            return failures.append(failure(of: attribute.name, .outOfRange, what))
        }
        if !value.fits(attribute.type) {
            let what = "is outside the range of \(attribute.type)"
            return failures.append(failure(of: attribute.name, .outOfRange, what, value: value))
        }
        let rule = attribute.validation
        var text: String?
        if case .string(let string) = value { text = string }
        if case .uri(let string) = value { text = string }
        let measured = text.map { AttributeValue.integer(Int64($0.utf16.count)) } ?? value
        if let minimum = rule.minimum, measured.order(withBound: minimum) == .before {
            failures.append(
                failure(of: attribute.name, .tooSmall, attribute.text(below: minimum), value: value))
        }
        if let maximum = rule.maximum, measured.order(withBound: maximum) == .after {
            failures.append(
                failure(of: attribute.name, .tooLarge, attribute.text(above: maximum), value: value))
        }
        guard let text, let pattern = rule.regularExpression else { return }
        do throws(QueryError) {
            guard let fault = try RegularExpression(pattern).fault(in: text) else { return }
            failures.append(failure(of: attribute.name, .noMatch, fault, value: value))
        } catch {
            failures.append(
                failure(
                    of: attribute.name, .noMatch, "has an expression that cannot be used: \(error)",
                    value: value))
        }
    }

    private final func check(
        _ relationship: RelationshipDescription, _ failures: inout [ValidationFailure]
    ) {
        guard let layout = layout.relationships[relationship.index], !relationship.definition.isTransient
        else { return }
        let count = relationship.isToMany ? members(layout).count : (target(layout) == nil ? 0 : 1)
        if count == 0 {
            if !relationship.isOptional {
                failures.append(failure(of: relationship.name, .required, "must have an object"))
            }
            return
        }
        if count < relationship.minimumCount {
            failures.append(
                failure(
                    of: relationship.name, .tooFew,
                    "has \(count) objects, and needs \(relationship.minimumCount)"))
        }
        if relationship.isToMany, relationship.maximumCount > 0, count > relationship.maximumCount {
            failures.append(
                failure(
                    of: relationship.name, .tooMany,
                    "has \(count) objects, and takes \(relationship.maximumCount)"))
        }
    }

    private final func failure(
        of property: String, _ reason: ValidationFailure.Reason, _ what: String,
        value: AttributeValue = .null
    ) -> ValidationFailure {
        ValidationFailure(
            objectID: objectID, property: property, reason: reason,
            text: "'\(entity.name).\(property)' \(what)",
            value: value)
    }
}

/// A predicate that values of one attribute must satisfy, compiled once.
struct PredicateRule {
    var slot: Int
    /// As the model has it.
    var format: String
    var predicate: Result<QueryPredicate, QueryError>
    var message: String

    /// The rules of an entity's attributes.
    static func rules(of entity: EntityDescription) -> [PredicateRule] {
        entity.attributes.flatMap { attribute in
            attribute.validation.predicates.map { rule in
                PredicateRule(
                    slot: attribute.index, format: rule.format, predicate: compiled(rule.format),
                    message: rule.message)
            }
        }
    }

    private static func compiled(_ format: String) -> Result<QueryPredicate, QueryError> {
        do throws(QueryError) {
            return .success(try QueryPredicate(format: format, arguments: []))
        } catch {
            return .failure(error)
        }
    }
}
