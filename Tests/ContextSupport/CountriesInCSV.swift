package import CofferEmbedded
package import CofferModel

/// Countries in a file of lines such as `NO;Norway;5550`, whose codes are their references.
package struct CountriesInCSV: AtomicStore {
    /// The form; there is one.
    package init() {}

    package func load(_ bytes: [UInt8], model: ManagedObjectModel) throws(OwnStoreError) -> AtomicStoreGraph {
        var graph = AtomicStoreGraph()
        for (number, line) in String(decoding: bytes, as: UTF8.self).split(separator: "\n").enumerated() {
            let fields = line.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
            guard fields.count == 3, let population = Int64(fields[2]) else {
                throw .damaged("line \(number + 1) is not 'code;name;population'")
            }
            graph.objects.append(
                AtomicStoreNode(
                    entity: "Country", reference: fields[0],
                    values: [
                        "code": .string(fields[0]), "name": .string(fields[1]),
                        "population": .integer(population),
                    ]))
        }
        return graph
    }

    package func save(_ graph: AtomicStoreGraph, model: ManagedObjectModel) throws(OwnStoreError) -> [UInt8] {
        var text = ""
        for object in graph.objects {
            guard case .string(let name)? = object.values["name"],
                case .integer(let population)? = object.values["population"],
                !name.contains(where: { ";\n".contains($0) })
            else { throw .unsupported(entity: "Country", property: "name", "a line cannot hold it") }
            text += "\(object.reference);\(name);\(population)\n"
        }
        return Array(text.utf8)
    }

    package func newReference(for object: AtomicStoreNode) throws(OwnStoreError) -> String {
        guard case .string(let code)? = object.values["code"] else {
            throw .unsupported(entity: "Country", property: "code", "a country is called by it")
        }
        return code
    }
}

extension CountriesInCSV {
    /// The model.
    package static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Country") {
                Field("code", .string)
                Field("name", .string)
                Field("population", .integer64)
            }
        }
    }
}
