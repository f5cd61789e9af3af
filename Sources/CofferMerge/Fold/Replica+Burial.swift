extension Replica {
    /// What a baseline that is written now may forget.
    ///
    /// These are records that are dead with their objects, and of which nothing was written since a time.
    /// What stands in a circle stays: its link may be what cuts the circle, and without it another's link
    /// would lead into something deleted and take that other along.
    ///
    /// - Parameters:
    ///   - microseconds: Since 1970; nothing of what is buried is younger.
    ///   - limit: How many records it is to be, at most but for the last object's.
    /// - Returns: Their lives as buried ones, which are to be joined here too.
    package func burials(before microseconds: Int64, atMost limit: Int) -> [Register] {
        var found: [Register] = []
        var judged: Set<RecordID> = []
        let (graph, registers) = (graph, registers)
        for record in graph.dead.sorted() where !judged.contains(record) {
            if found.count >= limit { break }
            let records = graph.sealed(with: record)
            judged.formUnion(records)
            guard !records.isEmpty, records.allSatisfy({ graph.isDead($0) }), !graph.isCircular(record),
                records.allSatisfy({ registers.lastTime(of: $0) < microseconds })
            else { continue }
            for record in records where !registers.isBuried(record) {
                guard let life = registers.life(of: record) else { continue }
                let cascaded = life.value.cascaded ?? model.entities[life.value.entity]?.cascading ?? []
                let buried = Life(life.value.entity, .buried(cascaded: cascaded))
                found.append(.life(record, Stamped(buried, life.stamp)))
            }
        }
        return found
    }
}

extension State {
    /// Of each peer that wrote a register that is still there the latest of its stamps, in microseconds since
    /// 1970.
    package var newestTimes: [PeerID: Int64] {
        var newest: [PeerID: Int64] = [:]
        for register in registers {
            let stamp = register.stamp
            newest[stamp.peer] = max(newest[stamp.peer] ?? stamp.microseconds, stamp.microseconds)
        }
        return newest
    }
}

extension RegisterView {
    /// The latest time at which anything of a record was written.
    fileprivate func lastTime(of record: RecordID) -> Int64 {
        var stamps = [life(of: record)?.stamp].compactMap(\.self)
        stamps += cells(of: record).values.map(\.stamp)
        stamps += pairs(of: record).compactMap { pair($0)?.stamp }
        stamps += places(of: record).compactMap { place($0)?.stamp }
        stamps += sames(of: record).compactMap { same(SameKey(record, $0)) }
        return stamps.map(\.microseconds).max() ?? .max
    }
}
