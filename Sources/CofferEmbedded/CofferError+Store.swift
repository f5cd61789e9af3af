import Coffer
import CofferStores
import CofferWire

/// Runs `body`, whose errors of a store become those that applications see.
func translating<Result>(_ body: () throws(StoreError) -> Result) throws(CofferError) -> Result {
    do throws(StoreError) {
        return try body()
    } catch {
        throw CofferError(error)
    }
}

extension CofferError {
    /// The one place where errors of a store in this process become those that applications see.
    init(_ error: StoreError) {
        if case .incompatible(let differing, let missing, let unknown, let changes) = error {
            self = .incompatibleModel(
                differing: differing, missing: missing, unknown: unknown, changes: changes)
            return
        }
        self.init(error.detail)
    }
}
