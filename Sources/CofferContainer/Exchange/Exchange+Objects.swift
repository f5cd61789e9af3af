/// One object of a container as a peer sees it, for people.
package struct CarriedObject: Sendable, Equatable {
    /// Its name.
    package let name: ObjectName
    /// What became of it here.
    package let state: State
    /// What it is, in a word.
    package var kind: String { "\(name.identity.kind)" }

    /// What became of an object.
    package enum State: String, Sendable {
        /// This peer wrote it, and it is there.
        case own
        /// This peer wrote it, and it is not there yet.
        case unwritten
        /// What it holds was joined.
        case read
        /// It was not read yet.
        case unread
        /// It waits for others.
        case waiting
        /// It cannot be read.
        case quarantined
        /// It is there, and what names it says whether it is needed.
        case listed
    }
}

extension Exchange {
    /// The objects that are known, by name, `limit` at most.
    package func objects(limit: Int) -> [CarriedObject] {
        var states: [ObjectName: CarriedObject.State] = [:]
        for name in listedObjects { states[name] = .listed }
        for (name, object) in known {
            switch (name.identity, object.condition) {
            case (.log(let writer, _), _) where isOwn(writer): states[name] = .own
            case (.log, .taken), (.baseline, .taken): states[name] = .read
            case (.log, .unread), (.baseline, .unread): states[name] = .unread
            case (.log, .waiting), (.baseline, .waiting): states[name] = .waiting
            case (.log, .quarantined), (.baseline, .quarantined): states[name] = .quarantined
            case (.marker, _), (.removal, _), (.keys, _), (.part, _), (.model, _), (.data, _):
                states[name] = .listed
            }
        }
        for log in outbox { states[log.name] = log.putAt == nil ? .unwritten : .own }
        for baseline in baselines { states[baseline.name] = baseline.objects.isEmpty ? .own : .unwritten }
        return states.map { CarriedObject(name: $0, state: $1) }
            .sorted { "\($0.name)" < "\($1.name)" }.prefix(limit).map(\.self)
    }
}
