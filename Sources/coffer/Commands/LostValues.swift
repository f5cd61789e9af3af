import Coffer
import CofferModel

/// The objects of a fetch of which values cannot be read, since their files are missing.
///
/// Confined to the fetch.
struct LostValues {
    private let entity: EntityDescription
    private let opened: ToolStore
    /// Why, for the first of them.
    private var reasons: [String] = []
    private var count = 0

    init(of entity: EntityDescription, in opened: ToolStore) {
        (self.entity, self.opened) = (entity, opened)
    }

    /// What is there of the large values of an object whose values cannot all be read, the others null.
    ///
    /// - Throws: The error itself, if it does not tell of damage.
    mutating func others(
        than error: CofferError, of object: ManagedObject
    ) throws -> [String: AttributeValue] {
        guard case .refused(_, "damaged", let text, _) = error else { throw error }
        count += 1
        if reasons.count < 20 { reasons.append("\(object.objectID.shortName): \(text)") }
        let names = entity.attributes.filter { $0.allowsExternalStorage && !$0.isTransient }.map(\.name)
        var values = Dictionary(names.map { ($0, AttributeValue.null) }) { first, _ in first }
        for name in names { values[name] = try value(of: name, of: object) }
        opened.context.lastFaultError = nil
        return values
    }

    /// One value of an object; null if its file is missing.
    private func value(of name: String, of object: ManagedObject) throws -> AttributeValue {
        var request = FetchRequest<ManagedObject>(
            entityName: entity.name, try QueryPredicate(format: "SELF == %@", object.objectID))
        request.propertiesToFetch = [name]
        do throws(CofferError) {
            return try opened.context.fetchDictionaries(request).first?[name] ?? .null
        } catch {
            guard case .refused(_, "damaged", _, _) = error else { throw error }
            return .null
        }
    }

    /// Says what was lost.
    ///
    /// - Throws: An error that names what was lost, if anything was.
    func check() throws(ToolError) {
        if count == 0 { return }
        let rest = count - reasons.count
        throw ToolError(
            .data,
            "\(count) objects have null, for the file of a value cannot be read:"
                + reasons.map { "\n  \($0)" }.joined() + (rest > 0 ? "\n  and \(rest) more" : ""))
    }
}
