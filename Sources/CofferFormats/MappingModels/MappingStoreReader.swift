import CofferModel

/// Makes a mapping model of the objects of the store that Xcode keeps it as.
struct MappingStoreReader {
    private let content: AtomicStoreContent
    private let path: String
    private let objects: [String: AtomicStoreObject]

    init(_ content: AtomicStoreContent, path: String) {
        (self.content, self.path) = (content, path)
        objects = Dictionary(content.objects.map { ($0.id, $0) }) { first, _ in first }
    }

    func model() throws(FormatError) -> MappingModel {
        let models = content.objects.filter { $0.entity.uppercased() == "XDDEVMAPPINGMODEL" }
        guard models.count == 1 else {
            throw .unsupported(path: path, reason: "it holds \(models.count) mapping models, and not one")
        }
        // Others are left from what was taken out in the editor.
        let ids = models[0].references["entitymappings"] ?? []
        var entities: [(number: Int64, entity: MappingModel.Entity)] = []
        for id in ids {
            guard let object = objects[id] else { continue }
            entities.append((object.number("mappingnumber"), try entity(object)))
        }
        return MappingModel(
            entities: entities.sorted { ($0.number, $0.entity.name) < ($1.number, $1.entity.name) }.map(
                \.entity))
    }

    private func entity(_ object: AtomicStoreObject) throws(FormatError) -> MappingModel.Entity {
        let (source, destination) = (object.text("sourcename"), object.text("destinationname"))
        let usual = [source, destination].compactMap(\.self).joined(separator: "To")
        let typeName = object.text("mappingtypename") ?? "Undefined"
        guard let kind = Self.kinds[typeName] else {
            throw .unsupported(path: path, reason: "a mapping is of the unknown kind '\(typeName)'")
        }
        var entity = MappingModel.Entity(
            object.text("name") ?? usual, kind: kind, source: source, destination: destination)
        entity.predicate = object.text("sourcefilterpredicatestring")
        entity.policyClassName = object.text("migrationpolicyclassname")
        entity.attributes = try properties(object, "attributemappings")
        entity.relationships = try properties(object, "relationshipmappings")
        if let bytes = object.bytes("userinfodata") {
            let archive = try KeyedArchive(try BinaryPropertyListReader.read(bytes))
            let keys = archive.root.values["NS.keys"]?.array ?? []
            let values = archive.root.values["NS.objects"]?.array ?? []
            for (key, value) in zip(keys, values) {
                if let key = archive.text(key) { entity.userInfo[key] = archive.text(value) }
            }
            try archive.checkToll()
        }
        return entity
    }

    private static let kinds: [String: MappingModel.Kind] = [
        "Undefined": .undefined, "Custom": .custom, "Add": .add, "Remove": .remove, "Copy": .copy,
        "Transform": .transform,
    ]

    private func properties(
        _ object: AtomicStoreObject, _ list: String
    ) throws(FormatError) -> [MappingModel.Property] {
        var properties: [MappingModel.Property] = []
        for id in object.references[list] ?? [] {
            guard let property = objects[id], let name = property.text("name") else { continue }
            properties.append(.init(name, try value(of: property, name: name)))
        }
        return properties.sorted { $0.name < $1.name }
    }

    private func value(
        of property: AtomicStoreObject, name: String
    ) throws(FormatError) -> MappingModel.Value {
        if let bytes = property.bytes("valueexpressiondata") {
            let archive = try KeyedArchive(try BinaryPropertyListReader.read(bytes))
            let value = try MappingArchiveReader(archive, path: path).value(archive.rootReference)
            try archive.checkToll()
            guard let value else {
                throw .unsupported(
                    path: path, reason: "the value of '\(name)' is an expression of an unknown kind")
            }
            return value
        }
        let mapping = property.text("sourcemappingname")
        guard mapping != nil || property.text("sourcekeypath") != nil else { return .automatic }
        return .mapped(by: mapping, objects: property.text("sourcekeypath") ?? "$source.\(name)")
    }
}

extension AtomicStoreObject {
    fileprivate func text(_ name: String) -> String? {
        guard case .text(let text)? = values[name], !text.isEmpty else { return nil }
        return text
    }

    fileprivate func bytes(_ name: String) -> [UInt8]? {
        guard case .bytes(let bytes)? = values[name], !bytes.isEmpty else { return nil }
        return bytes
    }

    fileprivate func number(_ name: String) -> Int64 {
        if case .integer(let number)? = values[name] { number } else { 0 }
    }
}
