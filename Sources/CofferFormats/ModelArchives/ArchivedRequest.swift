import CofferModel

// Fetched properties and fetch request templates, as Core Data archives them.

extension ModelArchiveWriter {
    /// The flags of fetch requests that ask for nothing special.
    ///
    /// Subentities and changes that are not saved take part, equal results are all told. Which bit is which
    /// is not known.
    static let usualRequestFlags: Int64 = 30

    /// Whether a request can be said in the form that is known.
    static func hasArchivedForm(_ request: FetchRequestTemplate) -> Bool {
        request.includesSubentities && request.includesPendingChanges && !request.returnsDistinctResults
            && request.sortDescriptors.allSatisfy { sort in
                sort.comparison == .binary && !sort.keyPath.isEmpty
            }
    }

    /// A request of an entity; `nil` if its form is not known.
    mutating func request(
        _ request: FetchRequestTemplate, of entity: PropertyListValue
    ) -> PropertyListValue? {
        guard Self.hasArchivedForm(request) else { return nil }
        var condition = KeyedArchiveBuilder.null
        if let format = request.predicate {
            guard let predicate = predicate(format) else { return nil }
            condition = predicate
        }
        let orders = request.sortDescriptors.map { sort in
            builder.add(
                ["NSSortDescriptor", "NSObject"],
                [
                    "NSKey": builder.add(sort.keyPath.joined(separator: ".")),
                    "NSAscending": .boolean(sort.isAscending), "NSSelector": builder.add("compare:"),
                    "NSReverseNullOrder": .boolean(false),
                ])
        }
        var values: [String: PropertyListValue] = [
            "NSEntity": entity, "NSPredicate": condition,
            "NSSortDescriptors": orders.isEmpty ? KeyedArchiveBuilder.null : builder.add(array: orders),
            "NSHasFetchRequestFlags": .boolean(true), "NSFetchRequestFlags": .integer(Self.usualRequestFlags),
            "NSFetchLimit": .integer(Int64(clamping: request.limit)),
        ]
        for name in ["NSResultType", "NSFetchOffset", "NSBatchSize", "NSAllocationType"] {
            values[name] = .integer(0)
        }
        let lists = [
            "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
            "NSRelationshipKeyPathsForPrefetching",
        ]
        for name in lists { values[name] = KeyedArchiveBuilder.null }
        return builder.add(["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"], values)
    }

    /// A fetched property; `nil` if the form of its request is not known.
    mutating func fetchedProperty(
        _ property: FetchedPropertyDefinition, in entity: PropertyListValue, of destination: PropertyListValue
    ) -> PropertyListValue? {
        guard let request = request(property.request, of: destination) else { return nil }
        var bits = PropertyBits(isOptional: true, isTransient: true, isReadOnly: true, hasModifier: false)
        bits.hasUserInfo = !property.userInfo.isEmpty
        var values: [String: PropertyListValue] = [
            "_P": .integer(bits.value), "NSEntity": entity, "NSFetchRequest": request,
            "NSPropertyName": builder.add(property.name),
            "NSRenamingIdentifier": builder.add(property.name),
            "_NSFetchRequestEntityName": builder.add(property.request.entityName),
            "NSIsOptional": .boolean(true), "NSIsTransient": .boolean(true), "NSIsReadOnly": .boolean(true),
        ]
        if !property.userInfo.isEmpty { values["NSUserInfo"] = userInfo(property.userInfo) }
        return builder.add(["NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"], values)
    }
}

extension ModelArchiveReader {
    /// A request under a name; `nil` if it is of no entity, or has a part that is not known.
    func request(
        _ value: PropertyListValue?, name: String, entityName: String? = nil
    ) throws(FormatError) -> FetchRequestTemplate? {
        guard let values = archive.object(value)?.values else { return nil }
        let own = archive.object(values["NSEntity"]).flatMap { archive.text($0.values["NSEntityName"]) }
        guard let entity = entityName ?? own ?? archive.text(values["NSEntityName"]) else { return nil }
        var request = FetchRequestTemplate(name, entityName: entity)
        if archive.object(values["NSPredicate"]) != nil {
            guard let format = try predicateFormat(values["NSPredicate"]) else { return nil }
            request.predicate = format
        }
        let limit = archive.value(values["NSFetchLimit"])?.integer ?? 0
        request.limit = max(0, Int(clamping: limit))
        for member in try archive.members(values["NSSortDescriptors"]) {
            guard let sort = archive.object(member)?.values, let key = archive.text(sort["NSKey"]) else {
                return nil
            }
            request.sortDescriptors.append(QuerySort(key, ascending: flag(sort["NSAscending"])))
        }
        return request
    }

    /// A fetched property; `nil` if it has a part that is not known.
    func fetchedProperty(_ object: KeyedArchive.Object) throws(FormatError) -> FetchedPropertyDefinition? {
        guard let name = archive.text(object.values["NSPropertyName"]),
            let request = try request(
                object.values["NSFetchRequest"], name: "",
                entityName: archive.text(object.values["_NSFetchRequestEntityName"]))
        else { return nil }
        return FetchedPropertyDefinition(name, request: request, userInfo: try userInfo(object.values))
    }
}
