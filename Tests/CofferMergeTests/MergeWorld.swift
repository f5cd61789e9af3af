import CofferMerge
import CofferSimulation

/// The records of the simulated model, by numbers.
enum MergeWorld {
    static let model: MergeModel = {
        do { return try SimulatedModel.make() } catch {
            preconditionFailure("the model of these tests: \(error)")
        }
    }()

    /// Of which entity the record with a number is: known to all, so that references mostly fit.
    static func entity(of number: Int) -> String { names[number % names.count] }

    static let names = SimulatedModel.names

    static func record(_ number: Int) -> RecordID { RecordID(high: UInt64(number), low: 0) }
}
