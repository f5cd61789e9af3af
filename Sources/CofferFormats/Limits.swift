/// Bounds on what a file can make this module hold or do, with reasons.
enum Limits {
    /// Bytes of an XML document: the largest known model has 200 kB; XML stores of some 100,000 objects fit too.
    static let xmlDocument = 64 << 20
    /// Elements inside elements: models use 5, property lists as many as they nest.
    static let xmlDepth = 128
    /// Elements of a document: each costs some 150 bytes of memory, many times its bytes in the file.
    static let xmlElements = 2_000_000
    /// Attributes of one element: models use up to 20; finding one by name is linear.
    static let xmlAttributes = 200
    /// Bytes of a binary property list: a library's metadata has 10 kB, its cached model 1 MB.
    static let propertyList = 64 << 20
    /// Values of a property list, each counted as often as it is referred to: references can multiply.
    static let propertyListValues = 1_000_000
    /// Values inside values of a property list; also ends references that run in a circle.
    static let propertyListDepth = 128
    /// Versions in a bundle: the longest history known, of a messenger, has about 120.
    static let modelVersions = 1_000
}
