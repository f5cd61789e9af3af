import CofferFormats
import CofferModel
import CofferStores
import Synchronization

/// The files of an application's own type of store, as the engine of all types knows them.
///
/// Shared.
final class OwnAtomicFormat: AtomicFormat {
    let metadataName: String
    let store: any AtomicStore
    let model: ManagedObjectModel
    private let configuration: String
    private let references = Mutex(OwnReferences())

    /// The numbers of references in metadata.
    private static let numbersKey = "CofferReferences"
    /// The highest number that an object was given, in metadata.
    private static let lastKey = "CofferLastObject"
    private static let hashesKey = "NSStoreModelVersionHashes"

    /// The form of `store`, for files of a configuration of `model`.
    init(_ store: any AtomicStore, name: String, model: ManagedObjectModel, configuration: String) {
        (self.store, self.model, self.configuration) = (store, model, configuration)
        metadataName = name
    }

    var marksFiles: Bool { false }

    func didWrite() { references.withLock { $0.settle() } }
}

// MARK: Reading

extension OwnAtomicFormat {
    func content(of bytes: [UInt8], path: String) throws(StoreError) -> AtomicStoreContent {
        let graph = try asking(path) { () throws(OwnStoreError) in try store.load(bytes, model: model) }
        var metadata = graph.metadata.mapValues(\.propertyListValue)
        let kept = metadata.removeValue(forKey: Self.numbersKey)?.dictionary?.compactMapValues(\.integer)
        let last = metadata.removeValue(forKey: Self.lastKey)?.integer
        if !metadata.isEmpty, metadata[Self.hashesKey] == nil,
            let hashes = VersionHashes(of: model, configuration: configuration)
        {
            metadata[Self.hashesKey] = .dictionary(hashes.entities.mapValues { .data($0) })
        }
        let numbers = try numbers(of: graph.objects, kept: kept ?? [:], last: last ?? 0, path: path)
        var content = AtomicStoreContent(
            uuid: graph.uuid, lastObjectNumber: UInt64(max(0, last ?? 0)), metadata: metadata)
        for node in graph.objects {
            guard let number = numbers[node.reference] else { continue }  // All have one.
            content.objects.append(try object(node, number: number, of: numbers, path: path))
        }
        return content
    }

    /// The number of each object: the one in its reference, the one that it had, or one behind all others.
    private func numbers(
        of nodes: [AtomicStoreNode], kept: [String: Int64], last: Int64, path: String
    ) throws(StoreError) -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        var taken: Set<Int64> = []
        var last = max(0, last)
        var others: [String] = []
        let known = references.withLock { $0 }
        for node in nodes {
            guard numbers.updateValue(0, forKey: node.reference) == nil else {
                throw .damaged(path: path, detail: "two objects have the reference '\(node.reference)'")
            }
            let number = known.number(of: node.reference) ?? kept[node.reference]
            if let number, number > 0, taken.insert(number).inserted {
                numbers[node.reference] = number
                last = max(last, number)
            } else {
                others.append(node.reference)
            }
        }
        guard last < .max - Int64(others.count) else {
            throw .damaged(path: path, detail: "its numbers of objects are used up")
        }
        for reference in others {
            last += 1
            numbers[reference] = last
        }
        references.withLock { references in
            for (reference, number) in numbers { references.add(reference, number: number) }
        }
        return numbers
    }

    private func object(
        _ node: AtomicStoreNode, number: Int64, of numbers: [String: Int64], path: String
    ) throws(StoreError) -> AtomicStoreObject {
        func damaged(_ detail: String) -> StoreError {
            .damaged(path: path, detail: "the object '\(node.reference)' \(detail)")
        }
        guard let entity = model.entity(named: node.entity), !entity.isAbstract else {
            throw damaged("is of the entity '\(node.entity)', of which the model has no objects")
        }
        var object = AtomicStoreObject(entity: entity.name, id: AtomicStoreObject.id(ofNumber: number))
        for (name, value) in node.values where !value.isNull {
            guard let attribute = entity.property(named: name)?.attribute, !attribute.isTransient else {
                throw damaged("has a value of '\(name)': '\(entity.name)' has no such stored attribute")
            }
            guard value.fits(attribute.type), let stored = AtomicStoreValue(value) else {
                throw damaged("has a value of '\(name)' that is not of the type \(attribute.type)")
            }
            object.values[name] = stored
        }
        for (name, references) in node.relationships {
            guard let relationship = entity.property(named: name)?.relationship, !relationship.isTransient
            else {
                throw damaged("has objects of '\(name)': '\(entity.name)' has no such relationship")
            }
            var ids: [String] = []
            for reference in references {
                guard let number = numbers[reference] else {
                    throw damaged("has in '\(name)' an object '\(reference)', which is not there")
                }
                ids.append(AtomicStoreObject.id(ofNumber: number))
            }
            object.references[name] = ids
        }
        return object
    }
}

// MARK: Writing

extension OwnAtomicFormat {
    func bytes(
        of content: AtomicStoreContent, _ model: ManagedObjectModel, path: String
    ) throws(StoreError) -> [UInt8] {
        var graph = AtomicStoreGraph(uuid: content.uuid)
        graph.objects = content.objects.map { node($0) }
        let names = try nameAll(&graph, path: path)
        for index in graph.objects.indices {
            graph.objects[index].relationships = graph.objects[index].relationships.mapValues { ids in
                ids.map { names[$0] ?? $0 }
            }
        }
        graph.metadata = content.metadata.compactMapValues { MetadataValue($0) }
        graph.metadata[Self.lastKey] = .integer(Int64(clamping: content.lastObjectNumber ?? 0))
        var numbers: [String: MetadataValue] = [:]
        for (id, name) in names where AtomicStoreObject.number(ofID: name) == nil {
            numbers[name] = AtomicStoreObject.number(ofID: id).map { .integer($0) }
        }
        if !numbers.isEmpty { graph.metadata[Self.numbersKey] = .dictionary(numbers) }
        let whole = graph
        return try asking(path) { () throws(OwnStoreError) in try store.save(whole, model: model) }
    }

    /// Gives the objects, which have the engine's ids, the store's references; these by id.
    private func nameAll(
        _ graph: inout AtomicStoreGraph, path: String
    ) throws(StoreError) -> [String: String] {
        var known = references.withLock { references in
            references.begin()
            return references
        }
        var names: [String: String] = [:]
        var taken: Set<String> = []
        var new: [Int] = []
        for (index, object) in graph.objects.enumerated() {
            let number = AtomicStoreObject.number(ofID: object.reference)
            guard let name = number.flatMap({ known.reference(of: $0) }) else {
                new.append(index)
                continue
            }
            names[object.reference] = name
            taken.insert(name)
            graph.objects[index].reference = name
        }
        for index in new {
            var object = graph.objects[index]
            let id = object.reference
            object.relationships = [:]
            let asked = object
            let name = try asking(path) { () throws(OwnStoreError) in try store.newReference(for: asked) }
            let number = AtomicStoreObject.number(ofID: id) ?? 0
            let isFree = AtomicStoreObject.number(ofID: name).map { $0 == number } ?? true
            guard !name.isEmpty, isFree, taken.insert(name).inserted else {
                throw .unsupported(
                    entity: object.entity, property: "",
                    detail: "its store gave a new object the reference '\(name)', which is not its own")
            }
            names[id] = name
            known.addNew(name, number: number)
            graph.objects[index].reference = name
        }
        references.withLock { $0 = known }
        return names
    }

    private func node(_ object: AtomicStoreObject) -> AtomicStoreNode {
        let entity = model.entity(named: object.entity)
        var node = AtomicStoreNode(
            entity: object.entity, reference: object.id, relationships: object.references)
        for (name, value) in object.values {
            guard let type = entity?.property(named: name)?.attribute?.type else { continue }
            node.values[name] = value.value(of: type)
        }
        return node
    }

    /// Asks the store, whose errors become those of all stores.
    private func asking<Result>(
        _ path: String, _ body: () throws(OwnStoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(OwnStoreError) { return try body() } catch { throw StoreError(error, path: path) }
    }
}
