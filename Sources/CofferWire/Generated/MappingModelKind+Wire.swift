// Made by Protos/generate: do not edit.

internal import CofferModel

/// By the numbers of `coffer.v1.EntityMapping.Kind`.
extension MappingModel.Kind: WireChoice {
    init?(wire: UInt32) {
        switch wire {
        case 0: self = .undefined
        case 1: self = .custom
        case 2: self = .add
        case 3: self = .remove
        case 4: self = .copy
        case 5: self = .transform
        default: return nil
        }
    }

    var wire: UInt32 {
        switch self {
        case .undefined: 0
        case .custom: 1
        case .add: 2
        case .remove: 3
        case .copy: 4
        case .transform: 5
        }
    }
}
