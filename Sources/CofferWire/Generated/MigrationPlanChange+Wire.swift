// Made by Protos/generate: do not edit.

internal import CofferModel

/// By the numbers of `coffer.v1.MigrationChange`.
extension MigrationPlan.Change: WireChoice {
    init?(wire: UInt32) {
        switch wire {
        case 1: self = .added
        case 2: self = .removed
        case 3: self = .kept
        case 4: self = .converted
        default: return nil
        }
    }

    var wire: UInt32 {
        switch self {
        case .added: 1
        case .removed: 2
        case .kept: 3
        case .converted: 4
        }
    }
}
