// Made by Protos/generate: do not edit.

internal import CofferModel

/// By the numbers of `coffer.v1.StoreType`.
extension StoreType: WireChoice {
    init?(wire: UInt32) {
        switch wire {
        case 1: self = .sqlite
        case 2: self = .memory
        case 3: self = .binary
        case 4: self = .xml
        default: return nil
        }
    }

    var wire: UInt32 {
        switch self {
        case .sqlite: 1
        case .memory: 2
        case .binary: 3
        case .xml: 4
        }
    }
}
