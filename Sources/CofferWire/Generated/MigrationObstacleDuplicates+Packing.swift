// Made by Protos/generate: do not edit.

internal import CCofferMessages
internal import CofferModel

extension MigrationObstacle.Duplicates: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationDuplicates>) {
        unsafe coffer__v1__migration_duplicates__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationDuplicates>) throws(WireError) {
        let c = unsafe message.pointee
        let values: [String] = try unsafe texts(
            c.values, count: c.n_values, field: "coffer.v1.MigrationDuplicates.values")
        let count: Int = unsafe Int(clamping: c.count)
        let keys: [Int64] = unsafe Array(copying: c.keys, count: c.n_keys)
        self.init(values: values, count: count, keys: keys)
    }

    func fill(_ c: inout Coffer__V1__MigrationDuplicates, in arena: inout PackArena) {
        unsafe (c.n_values, c.values) = arena.texts(values)
        unsafe c.count = UInt64(clamping: count)
        unsafe (c.n_keys, c.keys) = arena.numbers(keys)
    }
}
