import CofferFormats

/// What a file of an application's own form calls its objects, whose numbers the engine gives.
struct OwnReferences {
    /// The numbers by reference, of those references that are not made of them.
    private(set) var numbers: [String: Int64] = [:]
    private var references: [Int64: String] = [:]
    /// Of objects that are new in a file that is being written.
    private var new: [Int64: String] = [:]

    /// What the object of a number is called, if that is known.
    func reference(of number: Int64) -> String? { new[number] ?? references[number] }

    /// The number of a reference, if that is known.
    func number(of reference: String) -> Int64? {
        AtomicStoreObject.number(ofID: reference) ?? numbers[reference]
    }

    /// Notes what an object of a file is called.
    mutating func add(_ reference: String, number: Int64) {
        references[number] = reference
        if AtomicStoreObject.number(ofID: reference) == nil { numbers[reference] = number }
    }

    /// Notes what a new object is called, until `settle`.
    mutating func addNew(_ reference: String, number: Int64) { new[number] = reference }

    /// Forgets new ones, whose file was not kept.
    mutating func begin() { new = [:] }

    /// The file with the new ones was kept.
    mutating func settle() {
        for (number, reference) in new { add(reference, number: number) }
        new = [:]
    }
}
