internal import CofferFormats
internal import CofferModel

/// A model as far as the objects of a file that is read as a whole tell it, for a file that keeps none:
/// enough to read it.
///
/// Entities are those of the objects, those that relationships lead to, and those of the version hashes,
/// which also say how names in capitals are written. Entities whose objects are at the end of one
/// relationship get a common parent, which has all of their properties. A relationship is the inverse of
/// another one if its objects are those of the other one, seen from the other end.
struct GuessedGraphModel {
    private typealias End = XMLStoreReader.End

    private let content: AtomicStoreContent
    private let ends: [String: [String: End]]
    /// How the entities are written, by their names in capitals.
    private var spelling: [String: String] = [:]
    /// By entity, the one that has its properties.
    private var roots: [String: String] = [:]
    private var attributes: [String: [String: AttributeType]] = [:]
    private var relationships: [String: [String: GuessedReferences]] = [:]

    /// The model of the graph `content`, with what its file says of relationships besides.
    ///
    /// - Throws: `StoreError.unknownModel` if the objects of an entity contradict each other, or there is
    ///   no entity.
    static func model(
        of content: AtomicStoreContent, _ ends: [String: [String: XMLStoreReader.End]], path: String
    ) throws(StoreError) -> StoreModel {
        var guess = GuessedGraphModel(content, ends)
        guess.joinEntities()
        guard guess.addProperties() else { throw .unknownModel(path: path) }
        guess.pairInverses()
        let definitions = guess.definitions
        guard !definitions.isEmpty else { throw .unknownModel(path: path) }
        let model: ManagedObjectModel
        do throws(ModelError) { model = try ManagedObjectModel(entities: definitions) } catch {
            throw .unknownModel(path: path)  // As of names that no model can have.
        }
        return try StoreModel(model)
    }

    private init(_ content: AtomicStoreContent, _ ends: [String: [String: End]]) {
        (self.content, self.ends) = (content, ends)
        for name in content.metadata["NSStoreModelVersionHashes"]?.dictionary?.keys.sorted() ?? [] {
            spelling[name.uppercased()] = name
        }
        for object in content.objects where spelling[object.entity.uppercased()] == nil {
            spelling[object.entity.uppercased()] = object.entity
        }
        for end in ends.values.flatMap(\.values) where spelling[end.destination.uppercased()] == nil {
            spelling[end.destination.uppercased()] = end.destination
        }
    }

    private func name(_ entity: String) -> String { spelling[entity.uppercased()] ?? entity }

    private func root(_ entity: String) -> String { roots[entity] ?? entity }
}

extension GuessedGraphModel {
    /// Finds entities whose objects are at the end of one relationship: the one that the file names as the
    /// end has the properties of them all.
    private mutating func joinEntities() {
        let entities = Dictionary(
            content.objects.map { ($0.id, name($0.entity)) }, uniquingKeysWith: { first, _ in first })
        var parents: [String: String] = [:]
        func top(_ entity: String) -> String {
            var current = entity
            while let parent = parents[current] { current = parent }
            return current
        }
        for object in content.objects {
            for (relationship, ids) in object.references.sorted(by: { $0.key < $1.key }) {
                let members = Set(ids.compactMap { entities[$0] })
                let said = ends[object.entity]?[relationship].map { name($0.destination) }
                guard let end = said ?? members.min() else { continue }
                for member in members.sorted() where top(member) != top(end) {
                    parents[top(member)] = top(end)
                }
            }
        }
        for entity in spelling.values { roots[entity] = top(entity) }
    }

    /// Gathers what objects have; `false` if two of them have the same property in different forms.
    private mutating func addProperties() -> Bool {
        let entities = Dictionary(
            content.objects.map { ($0.id, name($0.entity)) }, uniquingKeysWith: { first, _ in first })
        for object in content.objects {
            let owner = root(name(object.entity))
            for (name, value) in object.values {
                let type = Self.type(of: value)
                if attributes[owner, default: [:]].updateValue(type, forKey: name) ?? type != type {
                    return false
                }
            }
            for (name, ids) in object.references {
                let end = ends[object.entity]?[name]
                let said = end.map { self.name($0.destination) }
                guard let destination = said ?? ids.first.flatMap({ entities[$0] }) else { continue }
                var found = relationships[owner]?[name] ?? GuessedReferences(destination: destination)
                guard root(found.destination) == root(destination) else { return false }
                if found.destination != destination { found.destination = root(destination) }
                if ids.contains(where: { entities[$0] != found.destination }) {
                    found.destination = root(destination)
                }
                found.add(ids, of: object.id, isToMany: end?.isToMany ?? (ids.count > 1))
                relationships[owner, default: [:]][name] = found
            }
        }
        return !attributes.contains { owner, known in
            known.keys.contains { relationships[owner]?[$0] != nil }
        }
    }

    private static func type(of value: AtomicStoreValue) -> AttributeType {
        switch value {
        case .integer: .integer64
        case .boolean: .boolean
        case .real: .double
        case .decimal: .decimal
        case .text: .string
        case .date: .date
        case .bytes: .binary
        }
    }
}

extension GuessedGraphModel {
    private struct Place: Hashable {
        let owner: String
        let name: String
    }

    /// Finds the inverses: relationships that say the same from both ends.
    private mutating func pairInverses() {
        var known: [Set<GuessedReferences.Pair>: [Place]] = [:]
        var places: [Place] = []
        for (owner, found) in relationships.sorted(by: { $0.key < $1.key }) {
            for (name, references) in found.sorted(by: { $0.key < $1.key }) where !references.pairs.isEmpty {
                known[references.pairs, default: []].append(Place(owner: owner, name: name))
                places.append(Place(owner: owner, name: name))
            }
        }
        for place in places {
            guard let references = relationships[place.owner]?[place.name], references.inverse == nil else {
                continue
            }
            let turned = known[Set(references.pairs.map(\.turned))] ?? []
            let free = turned.filter { other in
                guard let back = relationships[other.owner]?[other.name] else { return false }
                return back.inverse == nil && root(references.destination) == other.owner
                    && root(back.destination) == place.owner
            }
            if let inverse = free.first(where: { $0 != place }) ?? free.first {
                relationships[place.owner]?[place.name]?.inverse = inverse.name
                relationships[inverse.owner]?[inverse.name]?.inverse = place.name
            } else if references.isToMany, references.isShared {
                // Only a relationship with an inverse has objects at its end that others have there, too.
                addInverse(of: place, references)
            }
        }
    }

    private mutating func addInverse(of place: Place, _ references: GuessedReferences) {
        let owner = root(references.destination)
        var name = "\(place.name)_inverse"
        while relationships[owner]?[name] != nil || attributes[owner]?[name] != nil { name += "_" }
        var inverse = GuessedReferences(destination: place.owner)
        (inverse.isToMany, inverse.inverse) = (true, place.name)
        relationships[owner, default: [:]][name] = inverse
        relationships[place.owner]?[place.name]?.inverse = name
    }

    /// The entities as far as they are known, all of whose properties may be missing.
    private var definitions: [EntityDefinition] {
        Set(spelling.values).sorted().map { entity in
            let parent = root(entity)
            var definition = EntityDefinition(entity, superentity: parent == entity ? nil : parent)
            for (name, type) in attributes[entity]?.sorted(by: { $0.key < $1.key }) ?? [] {
                definition.attributes.append(AttributeDefinition(name, type, isOptional: true))
            }
            for (name, found) in relationships[entity]?.sorted(by: { $0.key < $1.key }) ?? [] {
                definition.relationships.append(
                    RelationshipDefinition(
                        name, to: found.destination, inverse: found.inverse, isToMany: found.isToMany))
            }
            return definition
        }
    }
}

/// What the objects of one entity have in one relationship.
private struct GuessedReferences {
    /// The id of an object, and that of one that it leads to.
    struct Pair: Hashable {
        let from: String
        let to: String

        var turned: Pair { Pair(from: to, to: from) }
    }

    var destination: String
    var isToMany = false
    var inverse: String?
    private(set) var pairs: Set<Pair> = []
    /// Whether some object is at the end of it for several others.
    private(set) var isShared = false
    private var members: Set<String> = []

    init(destination: String) { self.destination = destination }

    mutating func add(_ ids: [String], of object: String, isToMany: Bool) {
        if isToMany || ids.count > 1 { self.isToMany = true }
        for id in Set(ids) {
            pairs.insert(Pair(from: object, to: id))
            if !members.insert(id).inserted { isShared = true }
        }
    }
}
