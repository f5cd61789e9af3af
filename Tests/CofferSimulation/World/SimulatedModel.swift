package import CofferMerge
internal import CofferModel
internal import FoundationEssentials

/// Two small models in which every rule of merging has something to do.
package enum SimulatedModel: Int, CaseIterable, Sendable {
    /// Nothing is required; objects are in folders, departments and marriages, and under tags.
    case lenient
    /// Attributes, keys and relationships are required, deletions cascade through every kind of relationship,
    /// one-to-ones lead from one entity to another and in chains, and some relationships, to one and to many,
    /// have no inverse.
    case strict

    /// The model, less what a simulation leaves out.
    package func make(
        _ version: Version = .second, omitting omitted: OmittedRules = []
    ) throws -> MergeModel {
        MergeModel(try objectModel(version), omitting: omitted)
    }

    /// A version of a model.
    ///
    /// Of the lenient one both are the same for merging, and only users tell them apart.
    package enum Version: Int, CaseIterable, Sendable {
        case first, second
    }

    /// The model of the stores.
    func objectModel(_ version: Version) throws -> ManagedObjectModel {
        switch self {
        case .lenient: try Self.lenientModel()
        case .strict: try Self.strictModel(isFirst: version == .first)
        }
    }

    private static func lenientModel() throws -> ManagedObjectModel {
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

    /// The second version has one attribute more, an attribute and a relationship that have other names, and
    /// an attribute that has another type besides.
    private static func strictModel(isFirst: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Badge") {
                Field("name", .string)
                One("issuer", "Group")
                One("owner", "Citizen", inverse: "badge")
            }
            Entity("Citizen") {
                Field("code", .string)
                Field("name", .string).optional()
                Field("size", .decimal).optional()
                One("badge", "Badge", inverse: "owner", deleteRule: .cascade)
                One("passport", "Passport", inverse: "holder")
                Many("groups", "Group", inverse: "members")
                Many("papers", "Badge", deleteRule: .cascade, ordered: true)
                Unique("code")
                Unique("size")
            }
            Entity("Group") {
                Field("name", .string)
                Many("members", "Citizen", inverse: "groups", deleteRule: .cascade, ordered: true)
                Many("admits", "Passport", inverse: "visas", deleteRule: .deny)
                Many("visits", "Step", inverse: isFirst ? "visited" : "seen")
                Many("keeps", "Step")
                Unique("name")
            }
            .userInfo(["coffer.editsRevive": "YES"])
            Entity("Passport") {
                if isFirst {
                    Field("name", .string).optional()
                } else {
                    Field("label", .string).optional()
                    Field("title", .string).optional().renamed(from: "name")
                }
                One("holder", "Citizen", inverse: "passport").required()
                Many("visas", "Group", inverse: "admits")
            }
            Entity("Resident", parent: "Citizen") {
                if isFirst {
                    Field("street", .string).optional()
                } else {
                    Field("house", .integer64).optional().renamed(from: "street")
                }
            }
            Entity("Step") {
                Field("name", .string).optional()
                One("next", "Step", inverse: "previous", deleteRule: .cascade)
                One("previous", "Step", inverse: "next")
                if isFirst {
                    One("visited", "Group", inverse: "visits")
                } else {
                    One("seen", "Group", inverse: "visits").renamed(from: "visited")
                }
            }
            .userInfo(["coffer.acyclic": "next"])
        }
    }
}

extension SimulatedModel {
    /// The attribute that only the second version of the model has; a migration computes it of the name.
    static let laterAttribute = "label"

    /// The attribute that is a text in the first version of the strict world and a number in the second one,
    /// by the name that registers have for it.
    static let retypedAttribute = "street"

    /// What a migration computes of a name.
    static func label(of name: AttributeValue?) -> AttributeValue {
        if case .string(let text)? = name { .string("of \(text)") } else { .string("of none") }
    }

    /// Whether a migration computed a value: users give other ones.
    static func isComputed(_ cell: Cell) -> Bool {
        if case .value(.string(let text)) = cell.content { text.hasPrefix("of ") } else { false }
    }

    /// The entities, in the model's order.
    package var names: [String] {
        switch self {
        case .lenient: ["Dept", "Folder", "Item", "Person", "Player", "Tag"]
        case .strict: ["Badge", "Citizen", "Group", "Passport", "Resident", "Step"]
        }
    }

    /// Entities whose objects have much to do with each other.
    var parts: [[String]] {
        switch self {
        case .lenient: [["Dept", "Person"], ["Person", "Player"], ["Folder", "Item"], ["Item", "Tag"]]
        case .strict:
            [
                ["Citizen", "Resident"], ["Citizen", "Passport"], ["Step"],
                ["Badge", "Citizen", "Group", "Step"],
                ["Citizen", "Group", "Passport"],
            ]
        }
    }

    /// The two relationships that users put objects into and take them out of.
    var pairs: (often: RelationshipName, seldom: RelationshipName) {
        switch self {
        case .lenient: (RelationshipName("Item", "tags"), RelationshipName("Tag", "near"))
        case .strict: (RelationshipName("Group", "members"), RelationshipName("Passport", "visas"))
        }
    }

    /// Two texts that look alike, are equal for Swift, and are two keys.
    ///
    /// Texts are compared by their bytes everywhere.
    static let lookalikes: [AttributeValue] = [.string("\u{E9}"), .string("e\u{301}")]

    /// Texts of which some stand for numbers, as another version of the model has them.
    static let digits: [AttributeValue] = numbers + [.string("2.5")]

    /// Texts that all stand for whole numbers.
    static let numbers: [AttributeValue] = [.string("1"), .string("02"), .string("-7")]

    /// A few values of an attribute, so that some are equal; of decimals two that are so as keys only.
    static func values(of type: AttributeType, isKey: Bool) -> [AttributeValue] {
        if type == .decimal {
            return ["9007199254740993", "9007199254740992", "2"].compactMap { Decimal(string: $0) }
                .map { .decimal($0) }
        }
        if type == .integer64 { return [1, 2, 3].map { .integer($0) } }
        return (isKey ? ["a", "b"] : ["x", "y", "z"]).map { .string($0) }
    }
}

/// The models of a run, less what it leaves out.
package struct SimulatedModels: Sendable {
    private let models: [[MergeModel]]

    /// All models, less the rules that are left out.
    package init(omitting omitted: OmittedRules = []) throws {
        models = try SimulatedModel.allCases.map { model in
            try SimulatedModel.Version.allCases.map { try model.make($0, omitting: omitted) }
        }
    }

    /// What merging needs of a model.
    package subscript(
        _ model: SimulatedModel, _ version: SimulatedModel.Version = .second
    ) -> MergeModel { models[model.rawValue][version.rawValue] }
}
