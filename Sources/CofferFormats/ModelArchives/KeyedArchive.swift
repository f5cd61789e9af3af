/// The objects of a keyed archive (`NSKeyedArchiver`) that was read from a property list.
///
/// Objects may refer to each other in circles; whoever follows references keeps count.
struct KeyedArchive {
    /// One object of a class: its values, most of them references.
    struct Object {
        let className: String
        let values: [String: PropertyListValue]
    }

    private let objects: [PropertyListValue]
    /// The outermost object.
    let root: Object

    /// - Throws: `FormatError.damagedPropertyList` where the list is no keyed archive.
    init(_ list: PropertyListValue) throws(FormatError) {
        guard let all = list.dictionary, all["$archiver"]?.string == "NSKeyedArchiver",
            let objects = all["$objects"]?.array, let top = all["$top"]?.dictionary?["root"]
        else { throw .damagedPropertyList(reason: "it is no keyed archive") }
        self.objects = objects
        guard let root = Self.object(top, in: objects) else {
            throw .damagedPropertyList(reason: "the archive has no outermost object")
        }
        self.root = root
    }

    /// What a value is, or refers to; `nil` for nothing.
    func value(_ value: PropertyListValue?) -> PropertyListValue? { Self.value(value, in: objects) }

    /// The object of a class that a value refers to.
    func object(_ value: PropertyListValue?) -> Object? { Self.object(value, in: objects) }

    /// A text, be it a string's or a mutable string's.
    func text(_ value: PropertyListValue?) -> String? {
        let found = self.value(value)
        return found?.string ?? self.value(found?.dictionary?["NS.string"])?.string
    }

    /// Bytes, be they of immutable or mutable data.
    func bytes(_ value: PropertyListValue?) -> [UInt8]? {
        let found = self.value(value)
        return found?.data ?? self.value(found?.dictionary?["NS.data"])?.data
    }

    /// What an array, a set or a dictionary holds, in the archive's order.
    func members(_ value: PropertyListValue?) -> [PropertyListValue] {
        guard let object = object(value) else { return [] }
        // One of a class around a list; what is inside is followed once, since it may refer to itself.
        let list = object.values["values"].flatMap { self.object($0) } ?? object
        return list.values["NS.objects"]?.array ?? []
    }

    /// The keys of a dictionary, with what they stand for.
    func entries(_ value: PropertyListValue?) -> [(key: String, value: PropertyListValue)] {
        let keys = object(value)?.values["NS.keys"]?.array ?? []
        return zip(keys, members(value)).compactMap { key, value in text(key).map { ($0, value) } }
    }

    private static func value(_ value: PropertyListValue?, in objects: [PropertyListValue])
        -> PropertyListValue?
    {
        guard case .reference(let number)? = value else { return value }
        guard number > 0, number < UInt64(objects.count) else { return nil }
        let found = objects[Int(number)]
        if case .reference = found { return nil }
        return found == .string("$null") ? nil : found
    }

    private static func object(_ value: PropertyListValue?, in objects: [PropertyListValue]) -> Object? {
        guard let values = Self.value(value, in: objects)?.dictionary,
            let name = Self.value(values["$class"], in: objects)?.dictionary?["$classname"]?.string
        else { return nil }
        return Object(className: name, values: values)
    }
}
