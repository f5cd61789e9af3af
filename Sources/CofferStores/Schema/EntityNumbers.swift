internal import CofferModel

/// The numbers by which one store knows the entities of a model, in its columns `Z_ENT` and in names of columns and tables.
///
/// A store keeps those it was made with, though its configuration's entities move in the model when another configuration gains one.
struct EntityNumbers: Sendable {
    /// By the entity's index in the model.
    private let numbers: [Int]
    /// By number; `nil` where the store has no entity of this model.
    private let indices: [Int?]

    /// Those of a new store: the entities of the whole model, counted from 1.
    init(of model: ManagedObjectModel) {
        numbers = model.entities.map { $0.index + 1 }
        indices = [nil] + model.entities.map(\.index)
    }

    /// Those that a store gives by name; an entity that it does not know has the number that a new store would give it, and no index.
    ///
    /// `nil` where it gives one that no entity can have.
    init?(of model: ManagedObjectModel, in store: [String: Int64]) {
        var numbers = model.entities.map { $0.index + 1 }
        var indices: [Int?] = []
        for entity in model.entities {
            guard let stored = store[entity.name] else { continue }
            guard let number = Int(exactly: stored), (1..<FixedTables.changeEntity).contains(number) else {
                return nil
            }
            numbers[entity.index] = number
            while indices.count <= number { indices.append(nil) }
            if indices[number] != nil { return nil }
            indices[number] = entity.index
        }
        self.numbers = numbers
        self.indices = indices
    }

    /// The number of an entity, by its index in the model.
    subscript(index: Int) -> Int { numbers[index] }

    /// The entity with a number, by its index in the model; what a file says may be any number.
    func index(of number: Int) -> Int? { indices.indices.contains(number) ? indices[number] : nil }
}
