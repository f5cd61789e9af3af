import CofferModel

/// Models of stores that machines share.
enum SharedModels {
    /// Notes in folders, which take them along.
    static func notes() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("name", .string)
                Field("text", .string).optional()
                One("folder", "Folder", inverse: "notes").optional()
            }
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
            }
        }
    }

    /// The notes of a later version of the application.
    static func ratedNotes() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("name", .string)
                Field("text", .string).optional()
                Field("rating", .integer16).optional()
                One("folder", "Folder", inverse: "notes").optional()
            }
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
            }
        }
    }

    /// People in teams, in order, with tags; a team's code is its own.
    static func teams() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string)
                Field("mail", .string).optional()
                Field("age", .integer32).default(0)
                One("team", "Team", inverse: "people").optional()
                Many("tags", "Tag", inverse: "people")
            }
            Entity("Team") {
                Field("name", .string)
                Field("code", .string).optional()
                Many("people", "Person", inverse: "team", deleteRule: .cascade, ordered: true)
                Unique("code")
            }
            Entity("Tag") {
                Field("name", .string)
                Many("people", "Person", inverse: "tags")
            }
        }
    }
}
