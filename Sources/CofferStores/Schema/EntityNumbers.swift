internal import CofferModel

/// The numbers by which one store knows the entities of a model, in its columns `Z_ENT` and in names of
/// columns and tables.
///
/// A store keeps the numbers that it was made with, even if the model orders its entities otherwise because
/// another configuration gained one.
struct EntityNumbers: Sendable {
    /// The number of an entity that the store does not know: no row has it.
    private static let none = 0

    /// The numbers by the entity's index in the model.
    private let numbers: [Int]
    /// The entities by number; `nil` if the store has no entity of this model.
    private let indices: [Int?]

    /// The numbers of a new store: the entities of the whole model, counted from 1.
    ///
    /// Roots are ordered by name, each before those that inherit from it, and these by name, ignoring case.
    /// The model's own order differs if names differ in case.
    init(of model: ManagedObjectModel) {
        let keys = model.entities.map { $0.name.lowercased() }
        func sorted(_ indices: [Int]) -> [Int] { indices.sorted { (keys[$0], $0) < (keys[$1], $1) } }
        let roots = model.entities.filter { $0.superentityIndex == nil }.map(\.index)
        var waiting = Array(sorted(roots).reversed())
        var numbers = model.entities.map { _ in Self.none }
        var indices: [Int?] = [nil]
        while let next = waiting.popLast() {
            numbers[next] = indices.count
            indices.append(next)
            waiting.append(contentsOf: sorted(model.entities[next].subentityIndices).reversed())
        }
        self.numbers = numbers
        self.indices = indices
    }

    /// The numbers that a store gives by name; values that cannot be an entity's number are ignored.
    ///
    /// A store that was migrated in place may keep the former name of an entity: the entity is found by its
    /// renaming identifier, or else by its position, if the store has as many entities as the model.
    init(of model: ManagedObjectModel, in store: [String: Int64]) {
        var numbers = model.entities.map { _ in Self.none }
        var indices: [Int?] = [nil]
        func number(_ name: String) -> Int? {
            guard let number = store[name].flatMap({ Int(exactly: $0) }), number > 0,
                number < FixedTables.changeEntity
            else { return nil }
            return number
        }
        func take(_ number: Int?, for entity: EntityDescription) {
            guard let number, numbers[entity.index] == Self.none else { return }
            while indices.count <= number { indices.append(nil) }
            guard indices[number] == nil else { return }
            indices[number] = entity.index
            numbers[entity.index] = number
        }
        for entity in model.entities { take(number(entity.name), for: entity) }
        if numbers.contains(Self.none) {
            let present = Set(store.keys.filter { model.entity(named: $0) == nil })
            for entity in model.entities {
                guard let former = entity.definition.renamingIdentifier, present.contains(former) else {
                    continue
                }
                take(number(former), for: entity)
            }
            let free = Set(present.compactMap(number))
            let places = Self(of: model)
            for entity in model.entities where store.count == model.entities.count {
                take(free.contains(places[entity.index]) ? places[entity.index] : nil, for: entity)
            }
        }
        self.numbers = numbers
        self.indices = indices
    }

    /// The number of an entity, by its index in the model.
    subscript(index: Int) -> Int { numbers[index] }

    /// Whether the store knows an entity, by its index in the model.
    func knows(_ index: Int) -> Bool { numbers[index] != Self.none }

    /// The numbers of the entities with `indices` that the store knows.
    func known(of indices: Range<Int>) -> [Int] { indices.filter(knows).map { numbers[$0] } }

    /// `indices` in the order of the numbers; entities that the store does not know come first.
    func sorted(_ indices: some Sequence<Int>) -> [Int] {
        indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    }

    /// The entity with a number, by its index in the model; a file may contain any number.
    func index(of number: Int) -> Int? { indices.indices.contains(number) ? indices[number] : nil }
}
