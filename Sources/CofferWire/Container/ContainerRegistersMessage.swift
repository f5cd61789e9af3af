package import CofferModel

/// `coffer.v1.ContainerDeath`: how a record was deleted; places in the registers' names.
package struct ContainerDeathMessage: Sendable, Hashable {
    /// The to-one property that a cascade took: 1 + its place; 0: by hand.
    package var through: UInt32
    /// The relationships that cascaded.
    package var cascaded: [UInt32]
    /// The relationships that would have denied it.
    package var denied: [UInt32]

    /// A death from its fields; a field that is left out has its default.
    package init(through: UInt32 = 0, cascaded: [UInt32] = [], denied: [UInt32] = []) {
        self.through = through
        self.cascaded = cascaded
        self.denied = denied
    }
}

/// `coffer.v1.ContainerLargeValue`: a value that stands in objects of its own.
package struct ContainerLargeValueMessage: Sendable, Hashable {
    /// 1 a string, 2 binary data, 3 a URI, 4 what a transformer made.
    package var kind: UInt32
    /// How many bytes it has.
    package var byteCount: UInt64
    /// For each piece what names its object: 20 bytes.
    package var hashes: [UInt8]

    /// A value from its fields.
    package init(kind: UInt32, byteCount: UInt64, hashes: [UInt8]) {
        self.kind = kind
        self.byteCount = byteCount
        self.hashes = hashes
    }
}

/// `coffer.v1.ContainerRegisters`: registers, in columns.
///
/// Each is a key, a value and a stamp; names, records, peers, stamps and relationships are listed once and
/// named by their place. Nothing is checked here but text and values: whether columns fit together is for
/// whoever makes registers of them.
package struct ContainerRegistersMessage: Sendable, Equatable {
    /// Names of entities and properties: UTF-8.
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
    /// A byte each: 0 null, 1 a value, 2 a record, 3 a large value; 4 more where it was set at birth by
    /// default.
    package var cellKinds: [UInt8] = []
    /// For each cell with a value that value: neither null nor an object.
    package var cellValues: [AttributeValue] = []
    /// For each that names a record its place.
    package var cellTargets: [UInt32] = []
    /// For each with a large value which one.
    package var cellLargeValues: [ContainerLargeValueMessage] = []
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
    /// Who stands there.
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

    /// No registers.
    package init() {}
}
