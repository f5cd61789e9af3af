import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

extension ObjectGraph {
    /// The graph by the keys of a copy.
    func shifted(by shift: KeyShift, in model: ManagedObjectModel) -> ObjectGraph {
        func copy(_ id: ID) -> ID {
            ID(entity: id.entity, key: id.key + (model.entity(named: id.entity).map(shift.offset) ?? 0))
        }
        var graph = ObjectGraph()
        for (id, object) in objects {
            var object = object
            for (name, ends) in object.links {
                let isOrdered =
                    model.entity(named: id.entity)?.relationships.first { $0.name == name }?.isOrdered
                    ?? false
                object.links[name] = isOrdered ? ends.map(copy) : ends.map(copy).sorted()
            }
            graph.objects[copy(id)] = object
        }
        return graph
    }
}

/// Copies of stores, compared with what they were made of.
enum CopyHarness {
    static func name(_ type: StoreType) -> String { "Copy\(type == .memory ? "" : type.fileSuffix)" }

    /// Copies a store, and returns what was made of it, opened again if it has a file.
    static func copy(
        _ file: StoreFile, as type: StoreType, in path: String, isPlain: Bool = false,
        name: String? = nil, change: (inout StoreCopy.Options) -> Void = { _ in }
    ) throws -> (store: StoreFile, outcome: StoreCopy.Outcome) {
        var options = StoreCopy.Options()
        options.isPlain = isPlain
        change(&options)
        let copy = try StoreCopy(of: file, as: type, options: options)
        if type == .memory { return try copy.runInMemory(as: "Copy") }
        let name = name ?? self.name(type)
        let outcome = try copy.run(as: name, in: Folder(at: path))
        return (try open(name, in: path, model: isPlain ? file.model.model : nil), outcome)
    }

    /// Opens what was made, only to read it.
    static func open(_ name: String, in path: String, model: ManagedObjectModel? = nil) throws -> StoreFile {
        var options = StoreOptions()
        options.mustExist = true
        options.isReadOnly = true
        return try StoreFile.open(
            in: Folder(at: path), fileName: name, model: model.map { try StoreModel($0) }, options: options)
    }

    /// Expects that a copy has what the store has, and that the two are different stores.
    static func expectEqual(
        _ copy: (store: StoreFile, outcome: StoreCopy.Outcome), to file: StoreFile,
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let wanted = try ObjectGraph(reading: file).shifted(by: copy.outcome.shift, in: file.model.model)
        let found = try ObjectGraph(reading: copy.store)
        #expect(found.differences(from: wanted) == [], comment, sourceLocation: sourceLocation)
        #expect(copy.outcome.objectCount == wanted.objects.count, comment, sourceLocation: sourceLocation)
        #expect(copy.store.uuid == copy.outcome.uuid, comment, sourceLocation: sourceLocation)
        #expect(
            copy.outcome.formerUUID == file.uuid && copy.store.uuid != file.uuid, comment,
            sourceLocation: sourceLocation)
        #expect(copy.store.type == copy.outcome.type, comment, sourceLocation: sourceLocation)
        let metadata = try (
            copy.store.metadata(on: copy.store.makeReader()), file.metadata(on: file.makeReader())
        )
        // Property lists in XML know whole seconds only.
        func told(_ values: [String: MetadataValue]) -> [String: String] {
            values.mapValues { copy.store.type == .xml ? "\($0)" : "\($0.propertyList)" }
        }
        #expect(
            told(metadata.0.values) == told(metadata.1.values), comment, sourceLocation: sourceLocation)
        #expect(metadata.0.versionHashes == metadata.1.versionHashes, comment, sourceLocation: sourceLocation)
        let problems = try copy.store.integrityCheck(on: copy.store.makeReader())
        #expect(problems == [], comment, sourceLocation: sourceLocation)
    }
}
