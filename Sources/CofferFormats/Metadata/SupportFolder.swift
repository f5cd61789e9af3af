/// The folder beside a store's file for values that are too large for their rows, as Core Data names it.
package struct SupportFolder: Sendable, Equatable {
    /// The folder's name, in the folder that the store's file is in.
    package let name: String

    /// The folder of the store in the file `fileName`: its name without what follows the last dot.
    ///
    /// Two stores whose names differ in their ends only share it, as in Core Data.
    package init(of fileName: String) {
        let stem = fileName.lastIndex(of: ".").map { fileName[..<$0] } ?? fileName[...]
        name = ".\(stem)_SUPPORT"
    }

    /// Where the files with the values of rows are, from the folder that the store's file is in.
    package var values: String { name + "/_EXTERNAL_DATA" }
}
