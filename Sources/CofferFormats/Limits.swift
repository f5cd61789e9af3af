/// Bounds on what a file can make this module hold or do, with reasons.
enum Limits {
    /// Bytes of an XML document: models have some 10 kB; large XML stores have to fit too.
    static let xmlDocument = 64 << 20
    /// Elements inside elements: models use 5, property lists as many as they nest.
    static let xmlDepth = 128
    /// Elements of a document: each takes many times its bytes in the file.
    static let xmlElements = 2_000_000
    /// Attributes of one element: models use about 10; finding one by name is linear.
    static let xmlAttributes = 200
    /// Bytes of a binary property list: the largest cached model known, of a photo library, has 235 kB.
    static let propertyList = 64 << 20
    /// Values of a property list, each counted as often as it is referred to: references can multiply.
    static let propertyListValues = 1_000_000
    /// Values inside values of a property list; also ends references that run in a circle.
    static let propertyListDepth = 128
    /// How deep composites of a model may stand in others.
    static let compositeDepth = 8
    /// Attributes of one entity, those that are parts of composites included: each composite in another makes
    /// many of few.
    static let compositeParts = 2_000
    /// Members of lists in a model's archive, each as often as a list is followed, since references make many
    /// of one.
    static let archiveMembers = 200_000
    /// Bytes of texts and data in a model's archive, each as often as it is referred to: a message with a
    /// model takes as many.
    static let archiveBytes = 16 << 20
    /// Bytes, and elements, that an XML store takes besides its objects and metadata.
    static let xmlStoreOverhead = 1_024
    /// Bytes of a binary store: it is in memory as a whole, and each save writes all of it.
    static let binaryStore = 256 << 20
    /// Names of entities and properties in a binary store: models have some hundred.
    static let atomicNames = 100_000
    /// Objects of a store that is written as a whole: each takes some hundred bytes while it is read.
    static let atomicObjects = 1_000_000
    /// Values of all of them, and objects that their relationships name: each takes some fifty bytes.
    static let atomicValues = 8_000_000
    /// Versions in a bundle: far more than anybody keeps by hand.
    static let modelVersions = 1_000
}
