import CofferModel
import Testing

/// Mapping models against the models that they lead from and to.
@Suite struct MappingCheckTests {
    private func source() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("title", .string).optional()
                Field("stars", .integer16).default(0)
                Field("image", .binary).optional()
                One("folder", "Folder", inverse: "notes")
            }
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder")
            }
        }
    }

    private func destination() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Item", abstract: true) { Field("label", .string).optional() }
            Entity("Note", parent: "Item") {
                Field("title", .string).optional()
                Field("stars", .double).default(0)
                Field("made", .date).optional()
                One("folder", "Folder", inverse: "notes")
                Many("attachments", "Attachment", inverse: "note")
            }
            Entity("Folder") {
                Field("name", .string)
                Many("notes", "Note", inverse: "folder")
            }
            Entity("Attachment") {
                Field("image", .binary).optional()
                One("note", "Note", inverse: "attachments")
            }
        }
    }

    /// What fits; each test spoils one thing of it.
    private func mapping() -> MappingModel {
        var notes = MappingModel.Entity("NoteToNote", kind: .custom, source: "Note", destination: "Note")
        notes.attributes = [
            .init("title", .expression("uppercase:($source.title)")),
            .init("stars", .expression("$source.stars * 2")),
            .init("made", .expression("\"2001-01-01T00:00:00Z\"")),
            .init("label", .expression("FUNCTION($entityPolicy, \"labelOf:manager:\", $source, $manager)")),
        ]
        notes.relationships = [
            .init("folder", .mapped(by: "FolderToFolder", objects: "$source.folder")),
            .init("attachments", .none),
        ]
        var folders = MappingModel.Entity(
            "FolderToFolder", kind: .transform, source: "Folder", destination: "Folder")
        folders.attributes = [.init("name", .automatic)]
        folders.relationships = [.init("notes", .mappedRelationship("notes", objects: "$source.notes"))]
        var attachments = MappingModel.Entity(
            "NoteToAttachment", kind: .transform, source: "Note", destination: "Attachment")
        attachments.predicate = "image != nil"
        attachments.attributes = [.init("image", .expression("$source.image"))]
        attachments.relationships = [
            .init(
                "note",
                .expression(
                    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
                        + "\"NoteToNote\", $source)"))
        ]
        return MappingModel(entities: [notes, folders, attachments])
    }

    private func problems(_ change: (inout MappingModel) -> Void) throws -> [MappingProblem] {
        var mapping = mapping()
        change(&mapping)
        return mapping.problems(from: try source(), to: try destination())
    }

    private func reasons(
        of property: MappingModel.Property, attribute: Bool = true
    ) throws -> [MappingProblem.Reason] {
        let found = try problems {
            if attribute {
                $0.entities[0].attributes = [property]
            } else {
                $0.entities[0].relationships = [property]
            }
        }
        for problem in found {
            #expect(problem.mapping == "NoteToNote" && problem.property == property.name)
            #expect(problem.description.contains("'NoteToNote', the property '\(property.name)'"))
        }
        return found.map(\.reason)
    }

    @Test func `a mapping model that fits has no problem`() throws {
        #expect(try problems { _ in } == [])
    }

    @Test func `each kind of mapping has its ends`() throws {
        let note = "Note"
        for (kind, source, destination, expected) in [
            (MappingModel.Kind.add, note, note, [MappingProblem.Reason.excludes(.source)]),
            (.add, nil, nil, [.needs(.destination)]), (.add, nil, note, []), (.remove, note, nil, []),
            (.remove, nil, note, [.needs(.source), .excludes(.destination)]),
            (.copy, nil, note, [.needs(.source)]), (.transform, note, nil, [.needs(.destination)]),
            (.copy, note, note, []), (.custom, nil, nil, [.needs(.source)]), (.undefined, nil, note, []),
        ] as [(MappingModel.Kind, String?, String?, [MappingProblem.Reason])] {
            let found = try problems {
                $0.entities.append(.init("Last", kind: kind, source: source, destination: destination))
            }
            #expect(found.map(\.reason) == expected, "\(kind)")
            #expect(found.allSatisfy { $0.mapping == "Last" && $0.property == nil })
        }
    }

    @Test func `entities that a model has not, abstract ones and names used twice are told`() throws {
        let found = try problems {
            $0.entities += [
                .init("A", kind: .copy, source: "Memo", destination: "Note"),
                .init("B", kind: .copy, source: "Note", destination: "Memo"),
                .init("C", kind: .copy, source: "Note", destination: "Item"),
                .init("C", kind: .remove, source: "Folder", destination: nil),
            ]
        }
        #expect(
            found == [
                .init(mapping: "A", property: nil, reason: .unknownEntity("Memo", .source)),
                .init(mapping: "B", property: nil, reason: .unknownEntity("Memo", .destination)),
                .init(mapping: "C", property: nil, reason: .abstractDestination("Item")),
                .init(mapping: "C", property: nil, reason: .repeated),
            ])
        #expect(found[0].description == "The mapping 'A' names 'Memo', which the source model has not.")
    }

    @Test func `a predicate that does not fit the source is told with its key`() throws {
        let found = try problems { $0.entities[2].predicate = "picture != nil" }
        #expect(found.count == 1 && found[0].mapping == "NoteToAttachment" && found[0].property == nil)
        #expect(found.first?.description.contains("'picture' is not a property of entity 'Note'") == true)
    }

    @Test func `properties are found, and are of the kind that they are mapped as`() throws {
        #expect(try reasons(of: .init("colour", .automatic)) == [.unknownProperty(entity: "Note")])
        #expect(try reasons(of: .init("folder", .automatic)) == [.repeated, .otherKind(entity: "Note")])
        #expect(try reasons(of: .init("made", .none), attribute: false).contains(.otherKind(entity: "Note")))
    }

    @Test func `values that an attribute cannot take are told`() throws {
        let text = try reasons(of: .init("stars", .expression("$source.image")))
        guard case .otherValue? = text.first else {
            Issue.record("\(text)")
            return
        }
        for wrong in ["$source.folder", "$source.folder.notes.title", "{1, 2}"] {
            let found = try reasons(of: .init("stars", .expression(wrong)))
            guard case .otherValue? = found.first, found.count == 1 else {
                Issue.record("\(wrong): \(found)")
                continue
            }
        }
        for right in ["nil", "3", "$source.folder.notes.@count", "$source.stars", "$destination.stars"] {
            #expect(try reasons(of: .init("stars", .expression(right))) == [], "\(right)")
        }
    }

    @Test func `expressions that cannot be read, or run through what is not there, are told`() throws {
        for (wrong, part) in [
            ("$source.", "Expected"), ("$source.colour", "'colour' is not a property of entity 'Note'"),
            ("$sauce.title", "'$sauce' has no value"), ("FUNCTION($manager, \"turn:\", $source)", "'turn:'"),
            ("FUNCTION($entityPolicy, \"labelOf:\", $source.colour)", "'colour'"),
        ] {
            let found = try problems { $0.entities[0].attributes = [.init("title", .expression(wrong))] }
            #expect(found.count == 1 && found.first?.property == "title", "\(wrong)")
            #expect(found.first?.description.contains(part) == true, "\(wrong): \(found)")
        }
        // Nothing is mapped, so there is no source.
        let found = try problems {
            var added = MappingModel.Entity("Added", kind: .add, source: nil, destination: "Folder")
            added.attributes = [.init("name", .expression("$source.name"))]
            $0.entities.append(added)
        }
        #expect(found.map(\.reason) == [.expression(.unfilledVariable("source"))])
    }

    @Test func `what a relationship asks of other mappings must be there, and lead where it leads`() throws {
        func reasons(_ value: MappingModel.Value) throws -> [MappingProblem.Reason] {
            try self.reasons(of: .init("folder", value), attribute: false)
        }
        #expect(try reasons(.mapped(by: nil, objects: "$source.folder")) == [])
        #expect(try reasons(.mapped(by: "X", objects: "$source.folder")) == [.unknownMapping("X")])
        #expect(
            try reasons(.mapped(by: "NoteToAttachment", objects: "$source"))
                == [.otherObjects(made: "Attachment", by: "NoteToAttachment", expected: "Folder")])
        // It takes no folders, so it gives nothing.
        #expect(try reasons(.mapped(by: "NoteToAttachment", objects: "$source.folder")) == [])
        #expect(
            try reasons(.mappedRelationship("owner", objects: "$source.folder"))
                == [.unknownRelationship("owner", entity: "Note")])
        let text = try reasons(.mapped(by: "FolderToFolder", objects: "$source.title"))
        guard case .otherValue(_, expected: "objects")? = text.first else {
            Issue.record("a text is taken for objects: \(text)")
            return
        }
    }
}
