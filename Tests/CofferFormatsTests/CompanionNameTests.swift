import CofferFormats
import Testing

@Test(arguments: [
    ("Z.sqlite-wal", "Z.sqlite"), ("Z.sqlite-shm", "Z.sqlite"), ("Z.sqlite-journal", "Z.sqlite"),
    ("Z.sqlite.lock", "Z.sqlite"), ("Z.SQLITE-WAL", "Z.SQLITE"), (".Z_SUPPORT", "Z"),
    (".Z.sqlite.new", "Z.sqlite"), (".Z.sqlite.part", "Z.sqlite"), (".Z.sqlite.new-wal", ".Z.sqlite.new"),
])
func `a name that a store's logs, lock or values have is known by it`(name: String, owner: String) {
    #expect(CompanionName(name)?.owner == owner)
}

@Test(arguments: ["Z.sqlite", "Z", "Z_SUPPORT", "Z.new", ".Z", "wal", "Z.wal", "Z-wal.sqlite", ".lock", ""])
func `a name that any file may have is not taken for a store's`(name: String) {
    #expect(CompanionName(name) == nil)
}
