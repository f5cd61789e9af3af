package import CofferModel

/// How the keys of a store's objects become those of the same objects in its copy.
///
/// A key grows by a number that is the same for all objects of one inheritance tree, so that no list of
/// keys has to be kept.
package struct KeyShift: Sendable, Equatable {
    /// What is added to a key, by the name of its tree's root; trees that are missing keep their keys.
    package var offsets: [String: Int64]

    /// Keys that stay as they are.
    package init() { offsets = [:] }

    /// Numbers all objects together, as files that are written as a whole want it: `lastKeys` are those that
    /// were given out, by the names of the roots.
    ///
    /// - Throws: `tooLarge` if the numbers would be used up.
    init(joining lastKeys: [String: Int64]) throws(StoreError) {
        self.init()
        var last: Int64 = 0
        for (root, key) in lastKeys.sorted(by: { $0.key < $1.key }) where key > 0 {
            if last > 0 { offsets[root] = last }
            let (sum, isTooLarge) = last.addingReportingOverflow(key)
            guard !isTooLarge, sum < .max else {
                throw .tooLarge("the numbers of all objects together are more than a file can have")
            }
            last = sum
        }
    }

    /// Whether keys stay as they are.
    package var isIdle: Bool { offsets.isEmpty }

    /// What is added to the keys of an entity's objects.
    package func offset(of entity: EntityDescription) -> Int64 { offsets[entity.rootName] ?? 0 }
}
