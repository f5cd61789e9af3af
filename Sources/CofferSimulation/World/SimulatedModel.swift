package import CofferMerge
internal import CofferModel

/// A small model in which every rule of merging has something to do.
package enum SimulatedModel {
    /// The model, less what a simulation leaves out.
    package static func make(omitting omitted: OmittedRules = []) throws -> MergeModel {
        MergeModel(try objectModel(), omitting: omitted)
    }

    /// The model of the stores.
    static func objectModel() throws -> ManagedObjectModel {
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
                Many("shortcuts", "Item", inverse: "shows", deleteRule: .deny)
            }
            .userInfo(["coffer.acyclic": "parent"])
            Entity("Item") {
                Field("label", .string).optional()
                Field("name", .string).optional().default("new")
                One("folder", "Folder", inverse: "items")
                One("shows", "Folder", inverse: "shortcuts")
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

    /// The attribute that only the second version of the model has; a migration computes it of the name.
    static let laterAttribute = "label"

    /// What a migration computes of a name.
    static func label(of name: AttributeValue?) -> AttributeValue {
        if case .string(let text)? = name { .string("of \(text)") } else { .string("of nobody") }
    }

    /// Whether a migration computed a value: users give other ones.
    static func isComputed(_ cell: Cell) -> Bool {
        if case .value(.string(let text)) = cell.content { text.hasPrefix("of ") } else { false }
    }

    /// The entities, in the model's order.
    package static let names = ["Dept", "Folder", "Item", "Person", "Player", "Tag"]
}
