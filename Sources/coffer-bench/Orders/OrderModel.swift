import Coffer
import CofferModel

/// The model of orders, customers and regions.
enum OrderModel {
    static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Order") {
                Field("number", .integer64)
                Field("total", .double)
                One("customer", "Customer", inverse: "orders")
            }
            Entity("Customer") {
                Field("name", .string)
                One("region", "Region", inverse: "customers")
                Many("orders", "Order", inverse: "customer")
            }
            Entity("Region") {
                Field("name", .string).indexed()
                Many("customers", "Customer", inverse: "region")
            }
        }
    }
}

/// The order as applications declare it.
final class ManagedOrder: ManagedObject, ModeledObject {
    struct Properties {
        let number = Attribute<Int64>("number")
        let total = Attribute<Double>("total")
        let customer = ToOne<ManagedCustomer>("customer")
    }
    static let properties = Properties()

    override class var entityName: String { "Order" }
}

/// The customer.
final class ManagedCustomer: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String>("name")
        let region = ToOne<ManagedRegion>("region")
        let orders = ToMany<ManagedOrder>("orders")
    }
    static let properties = Properties()

    override class var entityName: String { "Customer" }
}

/// The region.
final class ManagedRegion: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String>("name")
    }
    static let properties = Properties()

    override class var entityName: String { "Region" }
}
