internal import CofferMerge
internal import CofferModel
internal import CofferStores

extension CanonicalNames {
    /// Checks that registers go on to call everything as they did, after a store was taken to another model:
    /// under two names one thing would be two.
    ///
    /// - Throws: `StoreError.unshareable`, which says what identifier would do.
    static func check(
        from former: ManagedObjectModel, to model: ManagedObjectModel, path: String
    ) throws(StoreError) {
        let changed: [ChangedName]
        do throws(MigrationError) {
            changed = try CanonicalNames.changed(from: former, to: model)
        } catch {
            throw .unshareable(path: path, detail: "\(error)")
        }
        guard let first = changed.first else { return }
        let element = first.property.map { "'\($0)' of '\(first.entity)'" } ?? "the entity '\(first.entity)'"
        throw .unshareable(
            path: path,
            detail: "other machines know \(element) as '\(first.canonical)', which it was called first: give "
                + "it that as its renaming identifier, as the version of the model before had it")
    }
}
