internal import CofferModel

/// The numbers by which one store knows the entities of a model, in its columns `Z_ENT` and in names of
/// columns and tables.
///
/// A store keeps those it was made with, though its configuration's entities move in the model when another
/// configuration gains one.
struct EntityNumbers: Sendable {
    /// Of an entity that the store does not know: no row has it.
    private static let none = 0

    /// By the entity's index in the model.
    private let numbers: [Int]
    /// By number; `nil` where the store has no entity of this model.
    private let indices: [Int?]

    /// Those of a new store: the entities of the whole model, counted from 1.
    init(of model: ManagedObjectModel) {
        numbers = model.entities.map { $0.index + 1 }
        indices = [nil] + model.entities.map(\.index)
    }

    /// Those that a store gives by name; what can be no entity's number is taken for none.
    init(of model: ManagedObjectModel, in store: [String: Int64]) {
        var numbers = model.entities.map { _ in Self.none }
        var indices: [Int?] = [nil]
        for entity in model.entities {
            guard let number = store[entity.name].flatMap({ Int(exactly: $0) }), number > 0,
                number < FixedTables.changeEntity
            else { continue }
            while indices.count <= number { indices.append(nil) }
            guard indices[number] == nil else { continue }
            indices[number] = entity.index
            numbers[entity.index] = number
        }
        self.numbers = numbers
        self.indices = indices
    }

    /// The number of an entity, by its index in the model.
    subscript(index: Int) -> Int { numbers[index] }

    /// Whether the store knows an entity, by its index in the model.
    func knows(_ index: Int) -> Bool { numbers[index] != Self.none }

    /// Those of the entities with `indices` that the store knows.
    func known(of indices: Range<Int>) -> [Int] { indices.filter(knows).map { numbers[$0] } }

    /// The entity with a number, by its index in the model; what a file says may be any number.
    func index(of number: Int) -> Int? { indices.indices.contains(number) ? indices[number] : nil }
}
