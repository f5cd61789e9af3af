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

    /// The columns of a batch that holds all attributes.
    func reader(of rows: RowBatch) throws -> ContactRows {
        func values(_ property: Int) throws -> ColumnValues {
            guard let column = rows.columns.first(where: { $0.property == property }) else {
                throw BenchError.wrongAnswer("no column of property \(property)")
            }
            return column.values
        }
        func texts(_ property: Int) throws -> ByteRuns {
            guard case .bytes(let runs) = try values(property) else {
                throw BenchError.wrongAnswer("property \(property) is no text")
            }
            return runs
        }
        guard case .integers(let ages) = try values(age), case .doubles(let balances) = try values(balance),
            case .doubles(let dates) = try values(created)
        else { throw BenchError.wrongAnswer("a number came as something else") }
        return ContactRows(
            firstNames: try texts(firstName), lastNames: try texts(lastName), emails: try texts(email),
            phones: try texts(phone), cities: try texts(city), ages: ages, balances: balances, created: dates)
    }
}

/// The columns of a batch of contacts, each with its type.
struct ContactRows {
    let firstNames: ByteRuns
    let lastNames: ByteRuns
    let emails: ByteRuns
    let phones: ByteRuns
    let cities: ByteRuns
    let ages: [Int64]
    let balances: [Double]
    let created: [Double]

    /// One contact; no attribute is ever null.
    func contact(_ row: Int) -> Contact {
        Contact(
            firstName: firstNames.repairedText(row), lastName: lastNames.repairedText(row),
            email: emails.repairedText(row), phone: phones.repairedText(row), city: cities.repairedText(row),
            age: Int32(truncatingIfNeeded: ages[row]), balance: balances[row],
            created: Date(timeIntervalSinceReferenceDate: created[row]))
    }
}
