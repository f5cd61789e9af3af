internal import CofferModel

extension StoreModel {
    /// Throws if an XML store could not tell two of the model's names apart: it has entities in upper case
    /// and properties in lower case.
    ///
    /// - Throws: `StoreError.unfitModel`, which names both.
    func requireXMLNames() throws(StoreError) {
        try Self.require(model.entities.map(\.name), "entities") { $0.uppercased() }
        for entity in model.entities {
            try Self.require(entity.properties.map(\.name), "properties of '\(entity.name)'") {
                $0.lowercased()
            }
        }
    }

    private static func require(
        _ names: [String], _ kind: String, as form: (String) -> String
    ) throws(StoreError) {
        var known: [String: String] = [:]
        for name in names {
            if let other = known.updateValue(name, forKey: form(name)) {
                throw .unfitModel(
                    detail: "an XML store cannot tell the \(kind) '\(other)' and '\(name)' apart")
            }
        }
    }
}
