// Made by Protos/generate: do not edit.

internal import CofferModel

/// By the numbers of `coffer.v1.MigrationStep`.
extension MigrationProgress: WireChoice {
    init?(wire: UInt32) {
        switch wire {
        case 1: self = .checking
        case 2: self = .rows
        case 3: self = .indexes
        case 4: self = .history
        default: return nil
        }
    }

    var wire: UInt32 {
        switch self {
        case .checking: 1
        case .rows: 2
        case .indexes: 3
        case .history: 4
        }
    }
}
