public import Coffer
import CofferStores
import CofferWire

/// A type of store of an application's own, under the name that descriptions of stores call it by.
@nonexhaustive
public enum OwnStoreType: Sendable {
    /// Stores whose file, `<store>.<name>`, is read and written as a whole.
    case atomic(_ name: String, any AtomicStore)
    /// Stores whose objects are elsewhere, each made when a container opens it.
    case incremental(
        _ name: String, _ open: @Sendable (StoreDescription) throws(OwnStoreError) -> any IncrementalStore)

    /// What descriptions of stores call it: letters, digits and `_`.
    public var name: String {
        switch self {
        case .atomic(let name, _), .incremental(let name, _): name
        }
    }
}

extension [OwnStoreType] {
    /// Throws if a name is not allowed, is one of Coffer's own, or is given twice.
    func check() throws(CofferError) {
        var taken = Set(StoreType.allCases.map(\.rawValue))
        for type in self {
            guard type.name.isPlainName, taken.insert(type.name).inserted else {
                throw .refused(
                    code: StatusCode.invalidArgument.name, reason: "own_type",
                    text:
                        "A type of store is called '\(type.name)', which has more than letters, digits and '_', "
                        + "or is taken.", place: type.name)
            }
        }
    }

    /// The type with a name.
    func type(named name: String) throws(CofferError) -> OwnStoreType {
        if let type = first(where: { $0.name == name }) { return type }
        throw .unknown(kind: "type of store", name: name)
    }
}
