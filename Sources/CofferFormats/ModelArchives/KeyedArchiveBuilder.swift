/// Puts objects into a keyed archive as `NSKeyedArchiver` writes it.
struct KeyedArchiveBuilder {
    /// Refers to no object.
    static let null = PropertyListValue.reference(0)

    private var objects: [PropertyListValue] = [.string("$null")]
    private var strings: [String: PropertyListValue] = [:]
    private var classes: [String: PropertyListValue] = [:]

    /// A place for an object that others refer to before it is filled.
    mutating func reserve() -> PropertyListValue {
        objects.append(.null)
        return .reference(UInt64(objects.count - 1))
    }

    /// An object of a class, whose superclasses follow its own.
    mutating func add(_ names: [String], _ values: [String: PropertyListValue]) -> PropertyListValue {
        let place = reserve()
        fill(place, names: names, values: values)
        return place
    }

    /// Fills a place that was reserved.
    mutating func fill(_ place: PropertyListValue, names: [String], values: [String: PropertyListValue]) {
        guard case .reference(let number) = place else { return }
        var values = values
        values["$class"] = add(class: names)
        objects[Int(number)] = .dictionary(values)
    }

    /// A plain value.
    mutating func add(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .reference(UInt64(objects.count - 1))
    }

    /// A text, of which equal ones are there once; null for `nil`.
    mutating func add(_ text: String?) -> PropertyListValue {
        guard let text else { return Self.null }
        if let known = strings[text] { return known }
        let place = add(.string(text))
        strings[text] = place
        return place
    }

    mutating func add(array members: [PropertyListValue], isMutable: Bool = false) -> PropertyListValue {
        add((isMutable ? ["NSMutableArray"] : []) + ["NSArray", "NSObject"], ["NS.objects": .array(members)])
    }

    mutating func add(set members: [PropertyListValue]) -> PropertyListValue {
        add(["NSSet", "NSObject"], ["NS.objects": .array(members)])
    }

    mutating func add(
        dictionary entries: [(key: String, value: PropertyListValue)], isMutable: Bool = false
    ) -> PropertyListValue {
        let keys = entries.map { add($0.key) }
        return add(
            (isMutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"],
            ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))])
    }

    private mutating func add(class names: [String]) -> PropertyListValue {
        if let known = classes[names[0]] { return known }
        let place = add(
            .dictionary([
                "$classname": .string(names[0]), "$classes": .array(names.map { .string($0) }),
            ]))
        classes[names[0]] = place
        return place
    }

    /// The whole archive.
    func archive(root: PropertyListValue) -> PropertyListValue {
        .dictionary([
            "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
            "$top": .dictionary(["root": root]), "$objects": .array(objects),
        ])
    }
}
