import CofferModel
import Foundation
import TestSupport

/// Models that follow from a seed, each a version of the one before.
struct RandomModels {
    private(set) var definitions: [EntityDefinition]
    private var generator: SeededGenerator
    private var lastName = 0
    /// What was renamed since the last version: a second name would hide the first.
    private var renamed: Set<String> = []

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary,
        .uuid,
        .uri, .string, .integer64,
    ]

    init(_ generator: SeededGenerator) {
        self.generator = generator
        definitions = []
        for _ in 0..<number(2...4) { addEntity() }
        for _ in 0..<number(1...4) { addPair() }
        renamed = []
    }

    var model: ManagedObjectModel? { try? ManagedObjectModel(entities: definitions) }

    /// Changes the model in a few places, so that it can be inferred what became of it.
    mutating func advance() {
        renamed = []
        guard let past = model else { return }
        for _ in 0..<number(1...5) {
            let before = definitions
            change()
            guard let model, (try? InferredMapping(from: past, to: model)) != nil else {
                definitions = before
                continue
            }
        }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    private mutating func makeName(_ prefix: String) -> String {
        lastName += 1
        // Some names sort before all others, so that numbers and columns move.
        return (number(0...2) == 0 ? "a" : "") + prefix + String(lastName)
    }

    private mutating func change() {
        guard let place = definitions.indices.randomElement(using: &generator) else { return addEntity() }
        switch number(0...19) {
        case 0, 1: definitions[place].attributes.append(makeAttribute())
        case 2: changeAttribute(of: place) { attributes, index, _ in attributes.remove(at: index) }
        case 3: renameAttribute(of: place)
        case 4, 5:
            let type = Self.types.randomElement(using: &generator) ?? .string
            changeAttribute(of: place) { attributes, index, _ in
                attributes[index].type = type
                attributes[index].defaultValue = .null
                attributes[index].allowsExternalStorage = false
            }
        case 6:
            changeAttribute(of: place) { attributes, index, generator in
                attributes[index].isOptional.toggle()
                attributes[index].defaultValue = Self.value(of: attributes[index].type, &generator)
            }
        case 7:
            changeAttribute(of: place) { attributes, index, _ in
                if attributes[index].type == .binary {
                    attributes[index].allowsExternalStorage.toggle()
                } else {
                    attributes[index].preservesValueOnDeletion.toggle()
                }
            }
        case 8: addEntity()
        case 9: removeEntity(place)
        case 10: renameEntity(place)
        case 11: addPair()
        case 12: removePair(of: place)
        case 13:
            changeEnd(of: place) {
                $0.isToMany.toggle()
                $0.isOrdered = false
                $0.maximumCount = $0.isToMany ? 0 : 1
            }
        case 14: changeEnd(of: place) { if $0.isToMany { $0.isOrdered.toggle() } }
        case 15: renameEnd(of: place)
        case 16: moveAttribute(of: place, up: true)
        case 17: moveAttribute(of: place, up: false)
        case 18: insertParent(of: place)
        default: addIndex(to: place)
        }
    }
}

// MARK: Attributes

extension RandomModels {
    private mutating func makeAttribute() -> AttributeDefinition {
        let type = Self.types.randomElement(using: &generator) ?? .string
        var attribute = AttributeDefinition(makeName("value"), type, isOptional: true)
        if number(0...1) == 0 { attribute.defaultValue = Self.value(of: type, &generator) }
        attribute.isOptional = attribute.defaultValue.isNull || number(0...2) > 0
        if type == .binary { attribute.allowsExternalStorage = number(0...1) == 0 }
        attribute.preservesValueOnDeletion = number(0...5) == 0
        attribute.isIndexed = number(0...5) == 0
        return attribute
    }

    private mutating func changeAttribute(
        of place: Int, _ body: (inout [AttributeDefinition], Int, inout SeededGenerator) -> Void
    ) {
        let attributes = definitions[place].attributes
        guard let index = attributes.indices.randomElement(using: &generator) else { return }
        definitions[place].indexes.removeAll {
            $0.elements.contains { $0.property == attributes[index].name }
        }
        body(&definitions[place].attributes, index, &generator)
    }

    private mutating func renameAttribute(of place: Int) {
        let name = makeName("value")
        let entity = definitions[place].name
        let known = renamed
        var former = ""
        changeAttribute(of: place) { attributes, index, _ in
            former = attributes[index].name
            guard !known.contains("\(entity).\(former)") else { return }
            attributes[index].renamingIdentifier = former
            attributes[index].name = name
        }
        renamed.insert("\(entity).\(name)")
    }

    private mutating func moveAttribute(of place: Int, up: Bool) {
        let entity = definitions[place]
        let others = definitions.indices.filter {
            up ? definitions[$0].name == entity.superentity : definitions[$0].superentity == entity.name
        }
        guard !others.isEmpty, let index = entity.attributes.indices.randomElement(using: &generator) else {
            return
        }
        let attribute = entity.attributes[index]
        definitions[place].attributes.remove(at: index)
        definitions[place].indexes.removeAll { $0.elements.contains { $0.property == attribute.name } }
        for other in others { definitions[other].attributes.append(attribute) }
    }

    private mutating func addIndex(to place: Int) {
        guard let attribute = definitions[place].attributes.randomElement(using: &generator) else { return }
        let isAscending = number(0...1) == 0
        definitions[place].indexes.append(
            FetchIndexDefinition(
                makeName("by"), elements: [.init(attribute.name, isAscending: isAscending)]))
    }

    /// A value that another type mostly has, too.
    static func value(of type: AttributeType, _ generator: inout SeededGenerator) -> AttributeValue {
        let number = Int64.random(in: -40...300, using: &generator)
        switch type {
        case .integer16, .integer32: return .integer(number)
        case .integer64:
            return .integer(Int.random(in: 0...30, using: &generator) == 0 ? number << 40 : number)
        case .decimal:
            return .decimal(
                Decimal(number) + (number % 7 == 0 ? Decimal(string: "0.123456789012345678901") ?? 0 : 0))
        case .double: return .double(number % 5 == 0 ? Double(number) + 0.5 : Double(number))
        case .float: return .float(Float(number) / 4)
        case .string: return .string(number % 50 == 0 ? "it's \(number)" : "\(number)")
        case .boolean: return .boolean(number % 2 == 0)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case .binary:
            return .binary(
                Array(repeating: UInt8(truncatingIfNeeded: number), count: number % 40 == 0 ? 110_000 : 5))
        case .uuid:
            return .uuid(
                UUID(uuidString: "00000000-0000-0000-0000-0000000000\(10 + abs(number) % 90)") ?? UUID())
        case .uri: return .uri("coffer:\(number)")
        case .transformable: return .transformable([UInt8(truncatingIfNeeded: number)])
        }
    }
}

// MARK: Entities

extension RandomModels {
    private mutating func addEntity() {
        let parent = number(0...2) == 0 ? definitions.randomElement(using: &generator)?.name : nil
        var entity = EntityDefinition(makeName("Kind"), superentity: parent)
        for _ in 0..<number(1...3) { entity.attributes.append(makeAttribute()) }
        definitions.append(entity)
        renamed.insert(entity.name)
    }

    private mutating func removeEntity(_ place: Int) {
        let name = definitions[place].name
        guard !definitions.contains(where: { $0.superentity == name }) else { return }
        definitions.remove(at: place)
        for index in definitions.indices {
            definitions[index].relationships.removeAll { $0.destination == name }
        }
    }

    private mutating func renameEntity(_ place: Int) {
        let (former, name) = (definitions[place].name, makeName("Kind"))
        guard !renamed.contains(former) else { return }
        renamed.insert(name)
        definitions[place].renamingIdentifier = former
        definitions[place].name = name
        for index in definitions.indices {
            if definitions[index].superentity == former { definitions[index].superentity = name }
            for end in definitions[index].relationships.indices
            where definitions[index].relationships[end].destination == former {
                definitions[index].relationships[end].destination = name
            }
        }
    }

    private mutating func insertParent(of place: Int) {
        if let parent = definitions[place].superentity {
            // Or takes it away: what it had is handed down.
            guard number(0...1) == 0, let above = definitions.first(where: { $0.name == parent }) else {
                return
            }
            definitions[place].superentity = above.superentity
            definitions[place].attributes += above.attributes
            return
        }
        let name = makeName("Base")
        renamed.insert(name)
        definitions[place].superentity = name
        definitions.append(
            EntityDefinition(name, isAbstract: number(0...1) == 0, attributes: [makeAttribute()]))
    }
}

// MARK: Relationships

extension RandomModels {
    private mutating func addPair() {
        guard let from = definitions.indices.randomElement(using: &generator),
            let to = definitions.indices.randomElement(using: &generator)
        else { return }
        let (name, back) = (makeName("end"), makeName("end"))
        let (isMany, isBackMany) = (number(0...1) == 0, number(0...1) == 0)
        var end = RelationshipDefinition(
            name, to: definitions[to].name, inverse: back, isToMany: isMany,
            isOrdered: isMany && number(0...1) == 0)
        if number(0...5) == 0 {
            // Its own inverse, or without one.
            if from == to { end.inverse = name } else if !isMany { end.inverse = nil } else { return }
            definitions[from].relationships.append(end)
            return
        }
        definitions[from].relationships.append(end)
        definitions[to].relationships.append(
            RelationshipDefinition(
                back, to: definitions[from].name, inverse: name, isToMany: isBackMany,
                isOrdered: isBackMany && number(0...1) == 0))
    }

    private mutating func removePair(of place: Int) {
        guard let end = definitions[place].relationships.randomElement(using: &generator) else { return }
        definitions[place].relationships.removeAll { $0.name == end.name }
        for index in definitions.indices {
            definitions[index].relationships.removeAll { $0.name == end.inverse && $0.inverse == end.name }
        }
    }

    private mutating func changeEnd(of place: Int, _ body: (inout RelationshipDefinition) -> Void) {
        guard let index = definitions[place].relationships.indices.randomElement(using: &generator) else {
            return
        }
        // No store has a place for a set without an inverse.
        if definitions[place].relationships[index].inverse == nil { return }
        body(&definitions[place].relationships[index])
    }

    private mutating func renameEnd(of place: Int) {
        let name = makeName("end")
        guard let end = definitions[place].relationships.randomElement(using: &generator),
            !renamed.contains(end.name)
        else { return }
        renamed.insert(name)
        for index in definitions.indices {
            for own in definitions[index].relationships.indices {
                if index == place, definitions[index].relationships[own].name == end.name {
                    definitions[index].relationships[own].renamingIdentifier = end.name
                    definitions[index].relationships[own].name = name
                }
                if definitions[index].relationships[own].inverse == end.name {
                    definitions[index].relationships[own].inverse = name
                }
            }
        }
    }
}
