import CofferMerge
import CofferSimulation

/// The records of a simulated model, by numbers.
enum MergeWorld {
    static let models: SimulatedModels = {
        do { return try SimulatedModels() } catch {
            preconditionFailure("the models of these tests: \(error)")
        }
    }()

    static let model = models[.lenient]

    /// Of which entity the record with a number is: known to all, so that references mostly fit.
    static func entity(of number: Int) -> String { names[number % names.count] }

    static let names = SimulatedModel.lenient.names

    static func record(_ number: Int) -> RecordID { RecordID(high: UInt64(number), low: 0) }
}
