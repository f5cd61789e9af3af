/// The objects of a keyed archive (`NSKeyedArchiver`) that was read from a property list.
///
/// Confined. Objects may refer to each other in circles, and a few references make very many of one object:
/// the archive counts what is read of it.
struct KeyedArchive {
    /// One object of a class: its values, most of them references.
    struct Object {
        let className: String
        let values: [String: PropertyListValue]
    }

    private let objects: [PropertyListValue]
    private let toll = Budget()
    /// The outermost object.
    let root: Object
    /// What refers to it.
    let rootReference: PropertyListValue

    /// - Throws: `FormatError.damagedPropertyList` if the list is not a keyed archive.
    init(_ list: PropertyListValue) throws(FormatError) {
        guard let all = list.dictionary, all["$archiver"]?.string == "NSKeyedArchiver",
            let objects = all["$objects"]?.array, let top = all["$top"]?.dictionary?["root"]
        else { throw .damagedPropertyList(reason: "it is not a keyed archive") }
        self.objects = objects
        guard let root = Self.object(top, in: objects) else {
            throw .damagedPropertyList(reason: "the archive has no outermost object")
        }
        self.root = root
        rootReference = top
    }

    /// What a value is, or refers to; `nil` for nothing.
    func value(_ value: PropertyListValue?) -> PropertyListValue? { Self.value(value, in: objects) }

    /// The object of a class that a value refers to.
    func object(_ value: PropertyListValue?) -> Object? { Self.object(value, in: objects) }

    /// A text, be it a string's or a mutable string's; none once too much was read, which `checkToll()`
    /// refuses.
    func text(_ value: PropertyListValue?) -> String? {
        let found = self.value(value)
        let text = found?.string ?? self.value(found?.dictionary?["NS.string"])?.string
        return toll.admits(text?.utf8.count ?? 0) ? text : nil
    }

    /// Bytes, be they of immutable or mutable data; none once too much was read, which `checkToll()` refuses.
    func bytes(_ value: PropertyListValue?) -> [UInt8]? {
        let found = self.value(value)
        let bytes = found?.data ?? self.value(found?.dictionary?["NS.data"])?.data
        return toll.admits(bytes?.count ?? 0) ? bytes : nil
    }

    /// What an array, a set or a dictionary holds, in the archive's order.
    ///
    /// - Throws: As `checkToll()`.
    func members(_ value: PropertyListValue?) throws(FormatError) -> [PropertyListValue] {
        guard let object = object(value) else { return [] }
        // One of a class around a list; what is inside is followed once, since it may refer to itself.
        let list = object.values["values"].flatMap { self.object($0) } ?? object
        let members = list.values["NS.objects"]?.array ?? []
        toll.memberCount += members.count
        try checkToll()
        return members
    }

    /// The keys of a dictionary, with what they stand for.
    func entries(
        _ value: PropertyListValue?
    ) throws(FormatError) -> [(key: String, value: PropertyListValue)] {
        let keys = object(value)?.values["NS.keys"]?.array ?? []
        return zip(keys, try members(value)).compactMap { key, value in text(key).map { ($0, value) } }
    }

    /// Refuses an archive of which too much was read.
    ///
    /// - Throws: `FormatError.damagedPropertyList`. Lists are refused before their members are looked at,
    ///   texts and bytes here alone: none of those that were too many was handed out, to be compared and
    ///   hashed as often as it is named.
    func checkToll() throws(FormatError) {
        guard toll.memberCount <= Limits.archiveMembers else {
            throw .damagedPropertyList(
                reason:
                    "its lists, as often as they are named, have more than \(Limits.archiveMembers) members")
        }
        guard toll.byteCount <= Limits.archiveBytes else {
            throw .damagedPropertyList(
                reason: "its texts, as often as they are named, have more than \(Limits.archiveBytes) bytes")
        }
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

extension KeyedArchive {
    /// What was read so far.
    private final class Budget {
        var memberCount = 0
        var byteCount = 0

        /// Counts so many bytes; whether they are not too many yet.
        func admits(_ count: Int) -> Bool {
            byteCount += count
            return byteCount <= Limits.archiveBytes
        }
    }
}
