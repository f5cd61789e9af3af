import CofferCoordination
import CofferModel
import CofferStores
import CofferWire

extension IncrementalSource {
    /// Brings objects that the store gave into the database: silently if they are new there, else as an
    /// import that contexts hear of.
    func absorb(_ given: [StoredObject], into store: PersistentStore) throws(StoreError) {
        var new: [SourceObject] = []
        var changed: [SourceObject] = []
        var versions: [(SourceKey, Int64)] = []
        for stored in given {
            let object = try object(stored)
            switch version(of: object.id) {
            case stored.version?: continue
            case nil: new.append(object)
            default: changed.append(object)
            }
            versions.append((object.id, stored.version))
        }
        let filling = new
        if !filling.isEmpty {
            try store.write { writer throws(StoreError) in try writer.fill(filling) }
        }
        if !changed.isEmpty { try renew(changed, in: store) }
        for (id, version) in versions { note(version, of: id) }
    }

    private func renew(_ objects: [SourceObject], in store: PersistentStore) throws(StoreError) {
        try load(objects.flatMap { $0.references.values.joined() }, into: store)
        let updates = try store.write { writer throws(StoreError) in
            try objects.map { object throws(StoreError) in try writer.renewal(by: object) }.compactMap(\.self)
        }
        try importing(updates: updates, into: store)
    }

    private func importing(
        updates: [UpdateGroup] = [], deletes: [DeleteGroup] = [], into store: PersistentStore
    ) throws(StoreError) {
        if updates.isEmpty, deletes.isEmpty { return }
        let request = SaveRequestMessage(
            store: 0, request: .unrepeated, mergePolicy: .overwrite, updates: updates, deletes: deletes)
        let origin = SaveOrigin(
            application: "", process: "", timestamp: store.file.environment.now(), origin: .import)
        let execution = try store.save(request, by: origin)
        guard case .saved = execution.reply else {
            throw .damaged(path: path, detail: "what it gives contradicts what it gave before")
        }
    }

    /// Makes sure that the database has these objects, as far as there are any.
    func load(_ ids: some Sequence<SourceKey>, into store: PersistentStore) throws(StoreError) {
        let missing = Set(ids).filter { !has($0) }
        if missing.isEmpty { return }
        try absorb(
            try asking { () throws(OwnStoreError) in try own.objects(missing.map { id($0) }) }, into: store)
    }

    /// Makes sure that the database has these objects as the store has them now, and none that is gone.
    func refresh(_ ids: some Sequence<SourceKey>, in store: PersistentStore) throws(StoreError) {
        let wanted = Set(ids)
        if wanted.isEmpty { return }
        let given = try asking { () throws(OwnStoreError) in try own.objects(wanted.map { id($0) }) }
        try absorb(given, into: store)
        let present = Set(try given.map { stored throws(StoreError) in row(try key(stored.id)) })
        let gone = wanted.filter { !present.contains(row($0)) && has($0) }
        if gone.isEmpty { return }
        let deletes = try store.write { writer throws(StoreError) in
            try gone.map { id throws(StoreError) in try writer.removal(of: id) }.compactMap(\.self)
        }
        try importing(deletes: deletes, into: store)
        for id in gone { note(nil, of: id) }
    }

    /// Brings all objects of an entity, and of those that inherit from it, into the database.
    func loadAll(of entity: EntityDescription, into store: PersistentStore) throws(StoreError) {
        try absorb(fitting: IncrementalFetch(entity: entity.name), in: store)
    }

    /// Brings what fits a request into the database, in which nothing else fits the request then.
    ///
    /// The result is `nil`, or just the objects of the request if it has a limit or an offset and the answer
    /// is exact.
    @discardableResult
    func absorb(
        fitting request: IncrementalFetch, in store: PersistentStore
    ) throws(StoreError) -> [SourceKey]? {
        let answer = try asking { () throws(OwnStoreError) in try own.fetch(request) }
        try absorb(answer.objects, into: store)
        let given = try answer.objects.map { stored throws(StoreError) in try key(stored.id) }
        if answer.isExact, request.limit > 0 || request.offset > 0 { return given }
        // What fits here and was not given has changed there, or is gone.
        let rows = Set(given.map { row($0) })
        var fetch = FetchDescription(entityName: request.entity, predicate: request.predicate)
        fetch.resultType = .objectIDs
        let reply = try store.fetch(FetchRequestMessage(store: 0, fetch: fetch))
        guard let found = reply.rows, let entity = model.entity(named: request.entity) else { return nil }
        let stale = (0..<found.rowCount).map { SourceKey(entity: entity.index, key: found.primaryKey($0)) }
            .filter { !rows.contains(row($0)) }
        try refresh(stale, in: store)
        return nil
    }

    /// Loads the members of a to-many relationship into the database, and that they are members.
    func loadMembers(
        of owners: [SourceKey], _ property: Int, into store: PersistentStore
    ) throws(StoreError) {
        guard let first = owners.first else { return }
        let name = model.entities[first.entity].properties[property].name
        let lists = try asking { () throws(OwnStoreError) in
            try own.members(of: owners.map { id($0) }, in: name)
        }
        guard lists.count == owners.count else {
            throw .damaged(
                path: path, detail: "it gave \(lists.count) lists of '\(name)' for \(owners.count)")
        }
        let members = try lists.map { list throws(StoreError) in
            try list.map { member throws(StoreError) in try key(member) }
        }
        try load(members.joined(), into: store)
        var stale: [SourceKey] = []
        let present = try store.write { writer throws(StoreError) in
            try owners.map { owner throws(StoreError) in try writer.members(of: owner, property) }
        }
        for (members, present) in zip(members, present) {
            let (here, there) = (Set(present.map { row($0) }), Set(members.map { row($0) }))
            stale += (present + members).filter { here.contains(row($0)) != there.contains(row($0)) }
        }
        try refresh(stale, in: store)
        try store.write { writer throws(StoreError) in
            for (owner, members) in zip(owners, members) {
                try writer.setMembers(members, of: owner, property)
            }
        }
    }
}
