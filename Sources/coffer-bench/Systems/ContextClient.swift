import Coffer
import CofferLinux
import FoundationEssentials

/// The contact as applications declare it.
final class ManagedContact: ManagedObject, ModeledObject {
    struct Properties {
        let firstName = Attribute<String>("firstName")
        let lastName = Attribute<String>("lastName")
        let email = Attribute<String>("email")
        let phone = Attribute<String>("phone")
        let city = Attribute<String>("city")
        let age = Attribute<Int32>("age")
        let balance = Attribute<Double>("balance")
        let created = Attribute<Date>("created")
    }
    static let properties = Properties()

    override class var entityName: String { ContactModel.entity }

    /// All values, read.
    var contact: Contact {
        Contact(
            firstName: self.firstName, lastName: self.lastName, email: self.email, phone: self.phone,
            city: self.city, age: self.age,
            balance: self.balance, created: self.created)
    }
}

/// Contexts of managed objects, over the service or over a coordinator in this process.
///
/// Confined.
final class ContextClient: ContactClient {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private var held: [ManagedContact] = []
    private let hasNews = ConditionLock(false)

    /// A client with one context over the container, whose store is loaded.
    init(_ container: PersistentContainer) throws {
        try container.loadStores()
        self.container = container
        context = container.newContext(name: "bench", author: "coffer-bench")
        context.register(ManagedContact.self)
    }

    func insert(_ contacts: ArraySlice<Contact>) throws {
        for contact in contacts {
            let object = context.insert(ManagedContact.self)
            object.firstName = contact.firstName
            object.lastName = contact.lastName
            object.email = contact.email
            object.phone = contact.phone
            object.city = contact.city
            object.age = contact.age
            object.balance = contact.balance
            object.created = contact.created
        }
        try context.save()
    }

    func hold(emails: [String]) throws {
        held = try emails.map { email in
            guard let object = try object(email) else {
                throw BenchError.wrongAnswer("no row has the e-mail \(email)")
            }
            return object
        }
    }

    func setCity(_ city: String, ofHeld place: Int) throws {
        held[place].city = city
        try context.save()
    }

    func contact(email: String) throws -> Contact? { try object(email)?.contact }

    func forEachContact(_ body: (Contact) -> Void) throws {
        for object in try context.fetch(FetchRequest<ManagedContact>()) { body(object.contact) }
    }

    func watch() throws {
        context.wakeUp = { [hasNews] in
            hasNews.withLock { $0 = true }
            hasNews.signal()
        }
    }

    func nextCity(after city: String, ofHeld place: Int) throws -> String {
        while true {
            awaitNews()
            let found = held[place].city
            if found != city { return found }
        }
    }

    private func awaitNews() {
        hasNews.wait { isSet in
            defer { isSet = false }
            return isSet ? () : nil
        }
        context.mergePendingChanges()
    }

    private func object(_ email: String) throws -> ManagedContact? {
        try context.fetch(FetchRequest<ManagedContact>(ManagedContact.properties.email == email)).first
    }
}

extension ContextClient: GroupClient {
    func setCityOfAll(_ city: String) throws {
        for contact in held { contact.city = city }
        try context.save()
    }

    func nextCityOfAll(after city: String) throws -> String {
        while true {
            awaitNews()
            guard let found = held.first?.city else { throw BenchError.wrongAnswer("no contact is held") }
            if found != city, held.allSatisfy({ $0.city == found }) { return found }
        }
    }
}
