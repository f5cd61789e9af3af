// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// Registers, in columns.
///
/// Each is a key, a value and a stamp; names, records, peers, stamps and relationships are listed once and
/// named by their place.
///
/// `coffer.v1.ContainerRegisters`.
package struct ContainerRegistersMessage: Sendable, Equatable {
    /// Names of entities and properties, UTF-8: renaming identifiers, if there are any.
    package var names: [String] = []
    /// Peers whose stamps there are.
    package var peers: [UInt64] = []
    /// The first 8 bytes of each record's id, as a number less that of the one before, modulo 2^64.
    package var recordHighs: [UInt64] = []
    /// The last 8 bytes, likewise.
    package var recordLows: [UInt64] = []
    /// Microseconds of each stamp, less those of the one before: stamps ascend.
    package var stampTimes: [UInt64] = []
    /// Places in `peers`.
    package var stampPeers: [UInt32] = []
    /// The numbers of folds.
    package var stampFolds: [UInt64] = []
    /// Relationships of pairs and places: the entity that declares each, in `names`.
    package var relationshipEntities: [UInt32] = []
    /// And its own name.
    package var relationshipProperties: [UInt32] = []
    /// Whose lives: places in the records, less the one before.
    package var lifeRecords: [UInt32] = []
    /// Their entities, in `names`.
    package var lifeEntities: [UInt32] = []
    /// Their stamps.
    package var lifeStamps: [UInt32] = []
    /// A byte each: 0 alive, 1 dead, 2 buried.
    package var lifeKinds: [UInt8] = []
    /// For each that is not alive its place in `deaths`.
    package var lifeDeaths: [UInt32] = []
    /// Ways of dying; of a buried record only `cascaded` counts.
    package var deaths: [ContainerDeathMessage] = []
    /// Whose cells: places in the records, less the one before.
    package var cellRecords: [UInt32] = []
    /// Their properties, in `names`.
    package var cellProperties: [UInt32] = []
    /// Their stamps.
    package var cellStamps: [UInt32] = []
    /// A byte each: 0 null, 1 a value, 2 a record, 3 a large value; 4 more if it was set at birth by default.
    package var cellKinds: [UInt8] = []
    /// For each cell with a value that value: neither null nor an object.
    package var cellValues: [AttributeValue] = []
    /// For each that names a record its place.
    package var cellTargets: [UInt32] = []
    /// Pairs: the relationship.
    package var pairRelationships: [UInt32] = []
    /// The record of the smaller end.
    package var pairFirsts: [UInt32] = []
    /// The other record.
    package var pairSeconds: [UInt32] = []
    /// Their stamps.
    package var pairStamps: [UInt32] = []
    /// A byte each: 1 in, 0 out.
    package var pairIns: [UInt8] = []
    /// Places: the ordered relationship.
    package var placeRelationships: [UInt32] = []
    /// Whose it is.
    package var placeOwners: [UInt32] = []
    /// The member that stands there.
    package var placeMembers: [UInt32] = []
    /// Their stamps.
    package var placeStamps: [UInt32] = []
    /// How many bytes each has.
    package var placeLengths: [UInt32] = []
    /// Those bytes, one place after the other.
    package var placeData: [UInt8] = []
    /// Records that are one: the smaller one.
    package var sameFirsts: [UInt32] = []
    /// The greater one.
    package var sameSeconds: [UInt32] = []
    /// Their stamps.
    package var sameStamps: [UInt32] = []
    /// For each cell with a large value which one.
    package var cellLargeValues: [ContainerLargeValueMessage] = []

    /// A message whose fields are all empty.
    package init() {}
}

extension ContainerRegistersMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .container }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerRegisters>) {
        unsafe coffer__v1__container_registers__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerRegisters>) throws(WireError) {
        let c = unsafe message.pointee
        names = try unsafe texts(
            c.names, count: c.n_names, field: "coffer.v1.ContainerRegisters.names", limit: Limits.names)
        peers = unsafe Array(copying: c.peers, count: c.n_peers)
        recordHighs = unsafe Array(copying: c.record_highs, count: c.n_record_highs)
        recordLows = unsafe Array(copying: c.record_lows, count: c.n_record_lows)
        stampTimes = unsafe Array(copying: c.stamp_times, count: c.n_stamp_times)
        stampPeers = unsafe Array(copying: c.stamp_peers, count: c.n_stamp_peers)
        stampFolds = unsafe Array(copying: c.stamp_folds, count: c.n_stamp_folds)
        relationshipEntities = unsafe Array(
            copying: c.relationship_entities, count: c.n_relationship_entities)
        relationshipProperties = unsafe Array(
            copying: c.relationship_properties, count: c.n_relationship_properties)
        lifeRecords = unsafe Array(copying: c.life_records, count: c.n_life_records)
        lifeEntities = unsafe Array(copying: c.life_entities, count: c.n_life_entities)
        lifeStamps = unsafe Array(copying: c.life_stamps, count: c.n_life_stamps)
        lifeKinds = unsafe c.life_kinds.array()
        lifeDeaths = unsafe Array(copying: c.life_deaths, count: c.n_life_deaths)
        deaths = try unsafe messages(
            c.deaths, count: c.n_deaths, field: "coffer.v1.ContainerRegisters.deaths",
            limit: Limits.registers)
        cellRecords = unsafe Array(copying: c.cell_records, count: c.n_cell_records)
        cellProperties = unsafe Array(copying: c.cell_properties, count: c.n_cell_properties)
        cellStamps = unsafe Array(copying: c.cell_stamps, count: c.n_cell_stamps)
        cellKinds = unsafe c.cell_kinds.array()
        cellValues = try unsafe messages(
            c.cell_values, count: c.n_cell_values, field: "coffer.v1.ContainerRegisters.cell_values",
            limit: Limits.registers)
        cellTargets = unsafe Array(copying: c.cell_targets, count: c.n_cell_targets)
        pairRelationships = unsafe Array(copying: c.pair_relationships, count: c.n_pair_relationships)
        pairFirsts = unsafe Array(copying: c.pair_firsts, count: c.n_pair_firsts)
        pairSeconds = unsafe Array(copying: c.pair_seconds, count: c.n_pair_seconds)
        pairStamps = unsafe Array(copying: c.pair_stamps, count: c.n_pair_stamps)
        pairIns = unsafe c.pair_ins.array()
        placeRelationships = unsafe Array(copying: c.place_relationships, count: c.n_place_relationships)
        placeOwners = unsafe Array(copying: c.place_owners, count: c.n_place_owners)
        placeMembers = unsafe Array(copying: c.place_members, count: c.n_place_members)
        placeStamps = unsafe Array(copying: c.place_stamps, count: c.n_place_stamps)
        placeLengths = unsafe Array(copying: c.place_lengths, count: c.n_place_lengths)
        placeData = unsafe c.place_data.array()
        sameFirsts = unsafe Array(copying: c.same_firsts, count: c.n_same_firsts)
        sameSeconds = unsafe Array(copying: c.same_seconds, count: c.n_same_seconds)
        sameStamps = unsafe Array(copying: c.same_stamps, count: c.n_same_stamps)
        cellLargeValues = try unsafe messages(
            c.cell_large_values, count: c.n_cell_large_values,
            field: "coffer.v1.ContainerRegisters.cell_large_values", limit: Limits.registers)
    }

    func fill(_ c: inout Coffer__V1__ContainerRegisters, in arena: inout PackArena) throws(WireError) {
        unsafe (c.n_names, c.names) = arena.texts(names)
        unsafe (c.n_peers, c.peers) = arena.numbers(peers)
        unsafe (c.n_record_highs, c.record_highs) = arena.numbers(recordHighs)
        unsafe (c.n_record_lows, c.record_lows) = arena.numbers(recordLows)
        unsafe (c.n_stamp_times, c.stamp_times) = arena.numbers(stampTimes)
        unsafe (c.n_stamp_peers, c.stamp_peers) = arena.numbers(stampPeers)
        unsafe (c.n_stamp_folds, c.stamp_folds) = arena.numbers(stampFolds)
        unsafe (c.n_relationship_entities, c.relationship_entities) = arena.numbers(relationshipEntities)
        unsafe (c.n_relationship_properties, c.relationship_properties) = arena.numbers(
            relationshipProperties)
        unsafe (c.n_life_records, c.life_records) = arena.numbers(lifeRecords)
        unsafe (c.n_life_entities, c.life_entities) = arena.numbers(lifeEntities)
        unsafe (c.n_life_stamps, c.life_stamps) = arena.numbers(lifeStamps)
        unsafe c.life_kinds = arena.data(lifeKinds)
        unsafe (c.n_life_deaths, c.life_deaths) = arena.numbers(lifeDeaths)
        try unsafe (c.n_deaths, c.deaths) = arena.list(deaths)
        unsafe (c.n_cell_records, c.cell_records) = arena.numbers(cellRecords)
        unsafe (c.n_cell_properties, c.cell_properties) = arena.numbers(cellProperties)
        unsafe (c.n_cell_stamps, c.cell_stamps) = arena.numbers(cellStamps)
        unsafe c.cell_kinds = arena.data(cellKinds)
        try unsafe (c.n_cell_values, c.cell_values) = arena.list(cellValues)
        unsafe (c.n_cell_targets, c.cell_targets) = arena.numbers(cellTargets)
        unsafe (c.n_pair_relationships, c.pair_relationships) = arena.numbers(pairRelationships)
        unsafe (c.n_pair_firsts, c.pair_firsts) = arena.numbers(pairFirsts)
        unsafe (c.n_pair_seconds, c.pair_seconds) = arena.numbers(pairSeconds)
        unsafe (c.n_pair_stamps, c.pair_stamps) = arena.numbers(pairStamps)
        unsafe c.pair_ins = arena.data(pairIns)
        unsafe (c.n_place_relationships, c.place_relationships) = arena.numbers(placeRelationships)
        unsafe (c.n_place_owners, c.place_owners) = arena.numbers(placeOwners)
        unsafe (c.n_place_members, c.place_members) = arena.numbers(placeMembers)
        unsafe (c.n_place_stamps, c.place_stamps) = arena.numbers(placeStamps)
        unsafe (c.n_place_lengths, c.place_lengths) = arena.numbers(placeLengths)
        unsafe c.place_data = arena.data(placeData)
        unsafe (c.n_same_firsts, c.same_firsts) = arena.numbers(sameFirsts)
        unsafe (c.n_same_seconds, c.same_seconds) = arena.numbers(sameSeconds)
        unsafe (c.n_same_stamps, c.same_stamps) = arena.numbers(sameStamps)
        try unsafe (c.n_cell_large_values, c.cell_large_values) = arena.list(cellLargeValues)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
