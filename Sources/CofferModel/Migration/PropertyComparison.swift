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

    /// Compares the stored sides of two properties.
    init(from old: PropertyDescription, to new: PropertyDescription) {
        switch (old, new) {
        case (.attribute(let old), .attribute(let new)): items = Self.items(old, new)
        case (.relationship(let old), .relationship(let new)): items = Self.items(old, new)
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
                effect: new.derivationExpression == nil ? "values stay" : "values are computed anew"),
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

    private static func items(_ old: RelationshipDescription, _ new: RelationshipDescription) -> [Item] {
        let kind = { (relationship: RelationshipDescription) in
            relationship.isToMany ? (relationship.isOrdered ? "ordered to-many" : "to-many") : "to-one"
        }
        return [
            Item(
                what: "it is", old: kind(old), new: kind(new),
                effect: new.isToMany ? "objects stay related" : old.isToMany ? "one object stays related" : ""
            ),
            Item(
                what: "it leads to", old: old.destination, new: new.destination,
                effect: "objects stay related where they may be"),
            Item(
                what: "the inverse is", old: old.inverse ?? "none", new: new.inverse ?? "none",
                effect: "both ends are brought in step"),
            optionality(old.isOptional, new.isOptional, effect: "an empty one is refused when it is saved"),
            Item(
                what: "it holds", old: counts(old), new: counts(new), effect: "others are refused when saved"),
            Item(
                what: "the hash modifier is", old: old.versionHashModifier ?? "none",
                new: new.versionHashModifier ?? "none", effect: "objects stay related"),
        ]
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
