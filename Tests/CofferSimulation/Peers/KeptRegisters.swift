package import CofferMerge

/// Registers that were kept, and what was derived of them, as tables keep it: a replica over it begins with
/// nothing in memory.
package final class KeptRegisters: RegisterBase {
    /// Which registers of others name a record.
    fileprivate struct Links {
        var namers: PropertyMap<Set<RecordID>> = [:]
        var pairs: Set<PairKey> = []
        var places: Set<PlaceKey> = []
        var sames: Set<RecordID> = []
    }

    fileprivate struct Content {
        var registers: [RecordID: [RegisterKey: Register]] = [:]
        var facts: [RecordID: RecordFacts] = [:]
        var links: [RecordID: Links] = [:]
        var sharing: [KeyIndex.Bucket: Set<RecordID>] = [:]
        var keyNamers: [RecordID: Set<RecordID>] = [:]
        var objectCount = 0
        var violationCount = 0
    }

    private let content: Content

    private init(_ content: Content) { self.content = content }

    /// Nothing.
    package convenience init() { self.init(Content()) }

    /// What is here, with what changed in a replica over it.
    ///
    /// - Parameters:
    ///   - changed: The registers that did.
    ///   - replica: The replica.
    /// - Returns: What the replica holds now.
    package func keeping(_ changed: some Sequence<RegisterKey>, of replica: Replica) -> KeptRegisters {
        var content = content
        for key in changed { content.put(replica.registers.register(of: key), at: key) }
        for record in replica.changedFacts { content.put(replica.facts(of: record), of: record) }
        (content.objectCount, content.violationCount) = (
            replica.graph.objectCount, replica.graph.violationCount
        )
        return KeptRegisters(content)
    }

    package func page(of record: RecordID) -> RecordPage? {
        content.registers[record].map { RecordPage($0.values) }
    }

    package func namers(of record: RecordID) -> PropertyMap<Set<RecordID>> {
        content.links[record]?.namers ?? [:]
    }
    package func pairs(to record: RecordID) -> Set<PairKey> { content.links[record]?.pairs ?? [] }
    package func places(of member: RecordID) -> Set<PlaceKey> { content.links[member]?.places ?? [] }
    package func sames(with record: RecordID) -> Set<RecordID> { content.links[record]?.sames ?? [] }

    package func facts(of record: RecordID) -> RecordFacts { content.facts[record] ?? RecordFacts() }

    package func sharing(_ bucket: KeyIndex.Bucket) -> Set<RecordID> { content.sharing[bucket] ?? [] }

    package func keyNamers(of record: RecordID) -> Set<RecordID> { content.keyNamers[record] ?? [] }

    package var isEmpty: Bool { content.registers.isEmpty }
    package var records: [RecordID] { Array(content.registers.keys) }
    package var dead: [RecordID] { content.facts.filter(\.value.isDead).map(\.key) }
    package var violations: [Violation] { content.facts.values.flatMap(\.violations) }
    package var violationCount: Int { content.violationCount }
    package var objectCount: Int { content.objectCount }
}

extension KeptRegisters.Content {
    fileprivate mutating func put(_ register: Register?, at key: RegisterKey) {
        if let old = registers[key.home]?[key] { link(old, isThere: false) }
        registers[key.home, default: [:]][key] = register
        if let register { link(register, isThere: true) }
    }

    private mutating func link(_ register: Register, isThere: Bool) {
        func note<Element>(_ element: Element, in elements: inout Set<Element>) {
            if isThere { elements.insert(element) } else { elements.remove(element) }
        }
        switch register {
        case .life: break
        case .cell(let record, let property, let cell):
            guard let named = cell.value.record else { return }
            note(record, in: &links[named, default: KeptRegisters.Links()].namers[property, default: []])
        case .pair(let key, _): note(key, in: &links[key.second, default: KeptRegisters.Links()].pairs)
        case .place(let key, _): note(key, in: &links[key.member, default: KeptRegisters.Links()].places)
        case .same(let key, _): note(key.first, in: &links[key.second, default: KeptRegisters.Links()].sames)
        }
    }

    fileprivate mutating func put(_ new: RecordFacts, of record: RecordID) {
        let old = facts[record]?.key
        for bucket in old?.buckets ?? [] { sharing[bucket]?.remove(record) }
        for named in old?.named ?? [] { keyNamers[named]?.remove(record) }
        for bucket in new.key?.buckets ?? [] { sharing[bucket, default: []].insert(record) }
        for named in new.key?.named ?? [] { keyNamers[named, default: []].insert(record) }
        facts[record] = new
    }
}
