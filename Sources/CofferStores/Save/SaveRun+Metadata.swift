internal import CofferFormats
internal import CofferModel
internal import CofferWire

extension SaveRun {
    /// Writes what the program has noted about the store since its last save; says whether anything of it was
    /// new.
    ///
    /// Notes merge by key. If another client has changed a note meanwhile to something else than is wanted,
    /// the merge policy of the save decides.
    /// - Throws: `metadataConflict` if the policy does not decide, `unfitMetadata`, `tooLarge`.
    func writeMetadata() throws(StoreError) -> Bool {
        if save.metadata.isEmpty { return false }
        let stored = try writer.file.metadata(on: writer.connection).values
        var changes: [String: MetadataValueMessage?] = [:]
        for change in save.metadata {
            let wanted = try Self.value(change.propertyList, change.key)
            if stored[change.key] == wanted { continue }
            if try stored[change.key] != Self.value(change.former, change.key) {
                switch mergeRule.decide(.contested) {
                case .conflict: throw .metadataConflict(key: change.key)
                case .stored: continue
                case .wanted: break
                }
            }
            let value = wanted.map { _ in MetadataValueMessage(propertyList: change.propertyList) }
            changes.updateValue(value, forKey: change.key)
        }
        if changes.isEmpty { return false }
        _ = try writer.updateMetadata(changes)
        return true
    }

    private static func value(_ bytes: [UInt8], _ key: String) throws(StoreError) -> MetadataValue? {
        if bytes.isEmpty { return nil }
        do throws(FormatError) {
            return try MetadataValue(propertyList: bytes)
        } catch {
            throw .unfitMetadata(key: key, detail: "\(error)")
        }
    }
}
