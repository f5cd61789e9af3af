import CofferModel

extension XMLStoreReader {
    /// What a file says of a relationship besides the objects that it leads to.
    package struct End: Sendable, Equatable {
        /// The entity that it leads to, in capitals.
        package let destination: String
        /// Whether it may lead to several objects.
        package let isToMany: Bool
    }

    /// What the file in `bytes` says of its relationships, by entity and name; the first object that has one
    /// tells.
    ///
    /// - Throws: As `read` does.
    package static func ends(_ bytes: [UInt8], file: String) throws(FormatError) -> [String: [String: End]] {
        var ends: [String: [String: End]] = [:]
        for object in try XMLDocumentReader.read(bytes, file: file).children(named: "object") {
            guard let entity = object["type"] else { continue }
            for element in object.children(named: "relationship") {
                guard let name = element["name"], ends[entity]?[name] == nil,
                    let destination = element["destination"], !destination.isEmpty
                else { continue }
                // The least and the greatest count; 0 means any number.
                let greatest = element["type"]?.split(separator: "/").last
                ends[entity, default: [:]][name] = End(
                    destination: destination, isToMany: greatest != nil && greatest != "1")
            }
        }
        return ends
    }
}
