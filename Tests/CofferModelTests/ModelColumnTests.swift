import CofferModel
import Testing

/// What a model declares that nothing could keep.
@Suite struct ModelColumnTests {
    private func fault(
        uniqueness: [[String]] = [], index: [String] = [], derived: Bool = false
    ) -> ModelError? {
        do throws(ModelError) {
            _ = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Person",
                    attributes: [
                        AttributeDefinition("name", .string),
                        AttributeDefinition("shown", .string, isTransient: true),
                        AttributeDefinition("picture", .binary, allowsExternalStorage: true),
                        AttributeDefinition(
                            "count", .integer64, isTransient: derived,
                            derivationExpression: "clubs.@count"),
                    ],
                    relationships: [
                        RelationshipDefinition("clubs", to: "Club", inverse: "members", isToMany: true),
                        RelationshipDefinition("home", to: "Club"),
                    ]),
                EntityDefinition(
                    "Member", superentity: "Person",
                    indexes: index.isEmpty ? [] : [.init("byAll", elements: index.map { .init($0) })],
                    uniquenessConstraints: uniqueness),
                EntityDefinition(
                    "Club",
                    relationships: [
                        RelationshipDefinition("members", to: "Person", inverse: "clubs", isToMany: true)
                    ]),
            ])
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("clubs", "it is a to-many relationship, which has no column"),
        ("shown", "it is transient, and not stored"),
        ("picture", "its values may be in files, which cannot be compared in the store"),
    ])
    func `uniqueness of what a store has no column of is refused by name`(name: String, reason: String) {
        let place = "a uniqueness constraint of Member"
        #expect(fault(uniqueness: [["name", name]]) == .withoutColumn(name, in: place, reason: reason))
        #expect(fault(uniqueness: [["name", "home"], ["count"]]) == nil)
    }

    @Test(arguments: ["clubs", "shown"])
    func `an index of what a store has no column of is refused by name`(name: String) {
        guard case .withoutColumn(name, "index byAll of Member", _)? = fault(index: ["name", name]) else {
            return #expect(Bool(false), "\(fault(index: [name]) as Any)")
        }
        #expect(fault(index: ["name", "home", "picture"]) == nil)
    }

    @Test func `a derived attribute that is never stored is refused`() {
        guard case .invalidDerivation("Person", "count", _)? = fault(derived: true) else {
            return #expect(Bool(false), "\(fault(derived: true) as Any)")
        }
    }

    @Test(arguments: ["Straße", "naïve", "名前", "имя", "_x1", "a\u{301}", "İ", "ｱ", "Ⅷ"])
    func `names have letters of any script`(name: String) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(name, attributes: [AttributeDefinition(name, .string)])
        ])
        #expect(model.entity(named: name)?.property(named: name) != nil)
        #expect(try QueryPredicate(format: "\(name) == 'x'").description == "\(name) == \"x\"")
    }

    @Test(arguments: ["", "1x", "٣x", "a b", "a-b", "a.b", "\u{301}a", "a\"", "a\0", "👍", "a\u{200B}"])
    func `what cannot be a name is refused with the rule`(name: String) {
        let error = #expect(throws: ModelError.self) {
            try ManagedObjectModel(entities: [EntityDefinition(name)])
        }
        #expect(error == .invalidName(name, in: "the model"))
        #expect(error?.description.contains("letters of any script, digits and _") == true)
    }

    @Test(arguments: [
        (DeleteRule.nullify, true), (.noAction, true), (.deny, false), (.cascade, false),
    ])
    func `a delete rule that no store can carry out is refused`(rule: DeleteRule, isTaken: Bool) throws {
        let entity = EntityDefinition(
            "Person",
            relationships: [
                RelationshipDefinition("guest", to: "Person", deleteRule: rule, isTransient: true)
            ])
        let result = Result { () throws(ModelError) in try ManagedObjectModel(entities: [entity]) }
        guard case .failure(let error) = result else {
            #expect(isTaken)
            return
        }
        #expect(!isTaken && "\(error)".contains("Person.guest"))
    }

    @Test(arguments: ["nme", "name.length", "clubs", "home.nme", "home.members.name"])
    func `an order by what there is not is refused`(keyPath: String) throws {
        let entities = [
            EntityDefinition(
                "Person", attributes: [AttributeDefinition("name", .string)],
                relationships: [
                    RelationshipDefinition("clubs", to: "Club", isToMany: true),
                    RelationshipDefinition("home", to: "Club"),
                ]),
            EntityDefinition(
                "Club", attributes: [AttributeDefinition("name", .string)],
                relationships: [RelationshipDefinition("members", to: "Person", isToMany: true)]),
        ]
        func make(_ keyPath: String) throws(ModelError) {
            _ = try ManagedObjectModel(
                entities: entities,
                fetchRequestTemplates: [
                    FetchRequestTemplate("all", entityName: "Person", sortDescriptors: [QuerySort(keyPath)])
                ])
        }
        try make("name")
        try make("home.name")
        #expect(throws: ModelError.self) { try make(keyPath) }
    }
}
