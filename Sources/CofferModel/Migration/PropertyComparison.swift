/// What differs between a property and what it was, for people.
struct PropertyComparison {
    /// One thing that may differ.
    struct Item {
        var what: String
        var old: String
        var new: String
        var effect: String
    }

    /// All that is compared; of most, both texts are equal.
    let items: [Item]

    /// Compares the stored sides of two properties, of models of which `ends` knows what relationships hold.
    init(from old: PropertyDescription, to new: PropertyDescription, ends: inout RelationshipEnds) {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): items = Self.items(old, new)
        case (.relationship(let old), .relationship(let new)): items = Self.items(old, new, ends: &ends)
        case (.attribute, .relationship):
            items = [
                Item(
                    what: "it is", old: "an attribute", new: "a relationship",
                    effect: "this cannot be inferred")
            ]
        case (.relationship, .attribute):
            items = [
                Item(
                    what: "it is", old: "a relationship", new: "an attribute",
                    effect: "this cannot be inferred")
            ]
        }
    }

    private static func items(_ old: AttributeDescription, _ new: AttributeDescription) -> [Item] {
        let conversion = AttributeConversion(from: old.type, to: new.type)
        let typeEffect =
            conversion.map { $0.keepsStorage ? "values stay" : "values that fit are converted" }
            ?? "this cannot be inferred"
        return [
            Item(what: "the type is", old: old.type.name, new: new.type.name, effect: typeEffect),
            optionality(
                old.isOptional, new.isOptional,
                effect: new.defaultValue.isNull
                    ? "no object may lack a value" : "objects without a value get the default"),
            Item(
                what: "large values are", old: place(old), new: place(new), effect: "values move there"),
            Item(
                what: "it is derived from", old: old.derivationExpression ?? "nothing",
                new: new.derivationExpression ?? "nothing",
                effect: new.derivationExpression == nil ? "values stay" : "values are computed again"),
            Item(
                what: "history keeps the last value:", old: "\(old.preservesValueOnDeletion)",
                new: "\(new.preservesValueOnDeletion)", effect: ""),
            Item(
                what: "the hash modifier is", old: old.versionHashModifier ?? "none",
                new: new.versionHashModifier ?? "none", effect: "values stay"),
            Item(
                what: "it has an index:", old: "\(old.isIndexed)", new: "\(new.isIndexed)", effect: ""),
        ]
    }

    private static func items(
        _ old: RelationshipDescription, _ new: RelationshipDescription, ends: inout RelationshipEnds
    ) -> [Item] {
        let kind = { (relationship: RelationshipDescription) in
            relationship.isToMany ? (relationship.isOrdered ? "ordered to-many" : "to-many") : "to-one"
        }
        return [
            Item(
                what: "it is", old: kind(old), new: kind(new),
                effect: new.isToMany
                    ? "objects stay related"
                    : old.isToMany ? "one object stays related, and references to others are lost" : ""),
            destination(old, new, change: ends.change(from: old, to: new)),
            Item(
                what: "the inverse is", old: old.inverse ?? "none", new: new.inverse ?? "none",
                effect: "both ends are brought in step"
                    + (ends.losses(from: old, to: new).contains(.atInverse)
                        ? ", and references that the inverse cannot hold are lost" : "")),
            optionality(old.isOptional, new.isOptional, effect: "an empty one is refused when it is saved"),
            Item(
                what: "it holds", old: counts(old), new: counts(new), effect: "others are refused when saved"),
            Item(
                what: "the hash modifier is", old: old.versionHashModifier ?? "none",
                new: new.versionHashModifier ?? "none", effect: "objects stay related"),
        ]
    }

    /// Where it leads; an entity of the same name may have fewer under it than before.
    private static func destination(
        _ old: RelationshipDescription, _ new: RelationshipDescription, change: RelationshipEnds.Change
    ) -> Item {
        let names = change.lost.prefix(RelationshipEnds.namedCount)
        let lost = names.joined(separator: ", ") + (change.lost.count > names.count ? ", …" : "")
        let isNarrowed = !lost.isEmpty && old.destination == new.destination
        return Item(
            what: "it leads to", old: old.destination + (isNarrowed ? " with \(lost)" : ""),
            new: new.destination,
            effect: !change.isPossible
                ? "this cannot be inferred"
                : lost.isEmpty ? "objects stay related" : "references to objects of \(lost) are lost")
    }

    private static func optionality(_ old: Bool, _ new: Bool, effect: String) -> Item {
        let word = { (isOptional: Bool) in isOptional ? "optional" : "required" }
        return Item(what: "it is", old: word(old), new: word(new), effect: new ? "values stay" : effect)
    }

    private static func place(_ attribute: AttributeDescription) -> String {
        attribute.allowsExternalStorage ? "in files" : "in rows"
    }

    private static func counts(_ relationship: RelationshipDescription) -> String {
        if !relationship.isToMany { return "at most one" }
        let most = relationship.maximumCount > 0 ? "\(relationship.maximumCount)" : "any number"
        return relationship.minimumCount > 0 ? "\(relationship.minimumCount) to \(most)" : most
    }
}
