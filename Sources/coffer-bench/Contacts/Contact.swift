import FoundationEssentials

/// One contact as Swift values: what every system is filled with and must give back.
struct Contact: Equatable {
    var firstName: String
    var lastName: String
    var email: String
    var phone: String
    var city: String
    var age: Int32
    var balance: Double
    var created: Date
}

/// Sums contacts up so that two sets are equal if their sums are, in whatever order they come.
struct ContactChecksum: Equatable {
    private(set) var count = 0
    private(set) var sum: UInt64 = 0

    /// Adds every attribute of `contact`.
    mutating func add(_ contact: Contact) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ value: UInt64) { hash = (hash ^ value) &* 0x0000_0100_0000_01B3 }
        for text in [contact.firstName, contact.lastName, contact.email, contact.phone, contact.city] {
            for byte in text.utf8 { mix(UInt64(byte)) }
            mix(0x100)  // No byte, so that texts cannot flow into each other.
        }
        mix(UInt64(bitPattern: Int64(contact.age)))
        mix(contact.balance.bitPattern)
        mix(contact.created.timeIntervalSinceReferenceDate.bitPattern)
        count += 1
        sum &+= hash ^ (hash >> 29)
    }

    /// What all contacts up to `count` must give.
    static func expected(_ count: Int) -> ContactChecksum {
        var checksum = ContactChecksum()
        for index in 0..<count { checksum.add(ContactGenerator.contact(index)) }
        return checksum
    }
}
