import CofferModel
import CofferWire
import FoundationEssentials

/// Contacts as columns of the wire, and back.
struct ContactColumns {
    /// The index of the entity in the model.
    let entity: Int
    /// The index of the attribute that is changed.
    let city: Int
    private let firstName: Int
    private let lastName: Int
    private let email: Int
    private let phone: Int
    private let age: Int
    private let balance: Int
    private let created: Int

    init(_ model: ManagedObjectModel) throws {
        guard let contact = model.entity(named: ContactModel.entity) else {
            throw BenchError.wrongAnswer("the model has no '\(ContactModel.entity)'")
        }
        func index(_ name: String) throws -> Int {
            guard let index = contact.propertyIndex(named: name) else {
                throw BenchError.wrongAnswer("the entity has no '\(name)'")
            }
            return index
        }
        entity = contact.index
        firstName = try index("firstName")
        lastName = try index("lastName")
        email = try index("email")
        phone = try index("phone")
        city = try index("city")
        age = try index("age")
        balance = try index("balance")
        created = try index("created")
    }

    /// All values of `contacts`.
    func pack(_ contacts: ArraySlice<Contact>) -> [Column] {
        func texts(_ property: Int, _ text: KeyPath<Contact, String>) -> Column {
            var column = ColumnBuilder(property: property, type: .string, capacity: contacts.count)
            for contact in contacts { column.append(text: contact[keyPath: text]) }
            return column.finish()
        }
        return [
            texts(firstName, \.firstName), texts(lastName, \.lastName), texts(email, \.email),
            texts(phone, \.phone), texts(city, \.city),
            Column(property: age, values: .integers(contacts.map { Int64($0.age) })),
            Column(property: balance, values: .doubles(contacts.map(\.balance))),
            Column(
                property: created, values: .doubles(contacts.map(\.created.timeIntervalSinceReferenceDate))),
        ]
    }

    /// One contact of a batch that holds all attributes.
    func contact(_ rows: RowBatch, row: Int) throws -> Contact {
        var contact = Contact(
            firstName: "", lastName: "", email: "", phone: "", city: "", age: 0, balance: 0,
            created: Date(timeIntervalSinceReferenceDate: 0))
        for column in rows.columns {
            switch column.property {
            case firstName: contact.firstName = column.text(at: row) ?? ""
            case lastName: contact.lastName = column.text(at: row) ?? ""
            case email: contact.email = column.text(at: row) ?? ""
            case phone: contact.phone = column.text(at: row) ?? ""
            case city: contact.city = column.text(at: row) ?? ""
            case age: contact.age = Int32(truncatingIfNeeded: column.int64(at: row) ?? 0)
            case balance: contact.balance = column.double(at: row) ?? 0
            case created:
                contact.created = Date(timeIntervalSinceReferenceDate: column.double(at: row) ?? 0)
            default: throw BenchError.wrongAnswer("a column of property \(column.property)")
            }
        }
        return contact
    }
}
