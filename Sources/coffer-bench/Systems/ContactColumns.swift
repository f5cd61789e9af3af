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

    /// The columns of rows that hold all attributes.
    func reader(of rows: PackedRows) throws -> ContactRows {
        func column(_ property: Int) throws -> Int {
            guard let column = rows.column(of: property, near: property) else {
                throw BenchError.wrongAnswer("no column of property \(property)")
            }
            return column
        }
        return ContactRows(
            rows: rows, firstName: try column(firstName), lastName: try column(lastName),
            email: try column(email), phone: try column(phone), city: try column(city),
            age: try column(age), balance: try column(balance), created: try column(created))
    }
}

/// Rows of contacts, and where their columns stand.
struct ContactRows {
    let rows: PackedRows
    let firstName: Int
    let lastName: Int
    let email: Int
    let phone: Int
    let city: Int
    let age: Int
    let balance: Int
    let created: Int

    /// One contact; no attribute is ever null.
    func contact(_ row: Int) -> Contact {
        Contact(
            firstName: text(firstName, row), lastName: text(lastName, row), email: text(email, row),
            phone: text(phone, row), city: text(city, row),
            age: Int32(truncatingIfNeeded: rows.int64(age, row) ?? 0),
            balance: rows.double(balance, row) ?? 0,
            created: Date(timeIntervalSinceReferenceDate: rows.double(created, row) ?? 0))
    }

    private func text(_ column: Int, _ row: Int) -> String { rows.text(column, row) ?? "" }
}
