import Coffer

extension Session {
    /// Gives new objects permanent ids, and tells them.
    func obtain(_ command: [String: String]) throws -> [String: String] {
        let names = (command["as"] ?? "").split(separator: " ").map(String.init)
        try context.obtainPermanentIDs(for: names.compactMap { objects[$0] })
        return objects.filter { names.contains($0.key) }.mapValues { $0.objectID.uri }
    }

    /// Names the object of an id, and tells what it holds; reads it.
    func seek(_ command: [String: String]) throws -> [String: String] {
        guard let id = context.objectID(forURI: command["id"] ?? "") else {
            throw ProcessClientError.noObject
        }
        objects[command["as"] ?? ""] = try context.existingObject(with: id)
        return try value(command)
    }
}
