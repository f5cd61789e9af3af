import CofferMerge
import CofferModel
import TestSupport

/// A small model in which every rule of merging has something to do.
enum MergeWorld {
    private static func managed() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Dept") {
                Field("name", .string).optional()
                Many("staff", "Person", inverse: "dept", deleteRule: .deny)
                Unique("name")
            }
            Entity("Folder") {
                Field("name", .string).optional()
                One("parent", "Folder", inverse: "children")
                Many("children", "Folder", inverse: "parent", deleteRule: .cascade)
                Many("items", "Item", inverse: "folder", deleteRule: .cascade, ordered: true)
            }
            .userInfo(["coffer.acyclic": "parent"])
            Entity("Item") {
                Field("name", .string).optional().default("new")
                One("folder", "Folder", inverse: "items")
                One("buddy", "Item", inverse: "buddies")
                Many("buddies", "Item", inverse: "buddy")
                Many("tags", "Tag", inverse: "tagged", ordered: true)
            }
            Entity("Person") {
                Field("email", .string).optional()
                Field("name", .string).optional()
                Field("nick", .string).optional()
                One("dept", "Dept", inverse: "staff")
                One("spouse", "Person", inverse: "spouse")
                Unique("email")
                Unique("nick")
                Unique("name", "dept")
            }
            Entity("Player", parent: "Person") {
                Field("team", .string).optional()
            }
            Entity("Tag") {
                Field("name", .string).optional()
                Many("tagged", "Item", inverse: "tags", deleteRule: .deny)
                Many("near", "Tag", inverse: "near")
                Unique("name")
            }
            .userInfo(["coffer.editsRevive": "YES"])
        }
    }

    static let model: MergeModel = {
        do { return MergeModel(try managed()) } catch {
            preconditionFailure("the model of these tests: \(error)")
        }
    }()

    /// Of which entity the record with a number is: known to all, so that references mostly fit.
    static func entity(of number: Int) -> String { names[number % names.count] }

    static let names = ["Dept", "Folder", "Item", "Person", "Player", "Tag"]

    static func record(_ number: Int) -> RecordID { RecordID(high: UInt64(number), low: 0) }
}
