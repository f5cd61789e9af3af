import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

private final class Basket: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String>("name")
        let fruits = ToMany<Fruit>("fruits")
        let best = ToOne<Fruit>("best")
    }
    static let properties = Properties()
}

private class Fruit: ManagedObject, ModeledObject {
    struct Properties {
        let name = Attribute<String>("name")
        let basket = ToOne<Basket>("basket")
    }
    static let properties = Properties()
}

private final class Apple: Fruit {}

/// Written without a list of properties, each by its own name.
private final class PlainBasket: ManagedObject {
    override class var entityName: String { "Basket" }
    private static let fruitNames = ToMany<PlainFruit>("fruits")
    var fruits: RelatedObjects<PlainFruit> { members(of: Self.fruitNames) }
}

private final class PlainFruit: ManagedObject {
    override class var entityName: String { "Fruit" }
    private static let basketName = ToOne<PlainBasket>("basket")
    var basket: PlainBasket? { target(of: Self.basketName) }
}

/// The classes at other ends of relationships, in a context that has not met them.
@Suite struct RelatedClassTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Basket") {
                Field("name", .string)
                Many("fruits", "Fruit", inverse: "basket")
                One("best", "Fruit")
            }
            Entity("Fruit") {
                Field("name", .string)
                One("basket", "Basket", inverse: "fruits")
            }
            Entity("Apple", parent: "Fruit") {}
        }
    }

    private static func fill(_ container: PersistentContainer) throws {
        let context = container.newContext()
        let basket = try context.make("Basket", ["name": "one"])
        let fruits = try [("Fruit", "pear"), ("Apple", "boskoop")].map { entity, name in
            try context.make(entity, ["name": .string(name)])
        }
        try basket.setObjects(fruits, forKey: "fruits")
        try basket.setObjects([fruits[1]], forKey: "best")
        try context.save()
    }

    @Test(arguments: [false, true], Backing.all)
    func `relationships of classes read in a context that knows one of them only`(
        isOfModel: Bool, on backing: Backing
    ) throws {
        let model = try Self.model()
        let classes: [String: ManagedObject.Type] = [
            "Basket": Basket.self, "Fruit": Fruit.self, "Apple": Apple.self,
        ]
        try withContainer(isOfModel ? model.withClasses(classes) : model, on: backing) { container in
            try Self.fill(container)
            let (context, other) = (container.newContext(), container.newContext())
            let basket = try #require(try context.fetch(FetchRequest<Basket>()).first)
            #expect(basket.fruits.map(\.name).sorted() == ["boskoop", "pear"])
            #expect(basket.fruits.count == basket.fruits.array.count)
            #expect(basket.best?.name == "boskoop")
            #expect(basket.best?.basket === basket)
            #expect((basket.best is Apple) == isOfModel)
            let fruit = try #require(try other.fetch(FetchRequest<Fruit>()).first)
            #expect(fruit.basket?.name == "one" && fruit.basket?.fruits.array.count == 2)
        }
    }

    @Test(arguments: Backing.all)
    func `classes that name each property by itself read so too`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            try Self.fill(container)
            let (context, other) = (container.newContext(), container.newContext())
            let basket = try #require(try context.fetch(FetchRequest<PlainBasket>()).first)
            #expect(basket.fruits.map { $0["name"].text }.sorted() == ["boskoop", "pear"])
            let fruit = try #require(try other.fetch(FetchRequest<PlainFruit>()).first)
            #expect(fruit.basket?["name"].text == "one")
        }
    }

    @Test(arguments: Backing.all)
    func `prefetched objects, children and results controllers know the classes as well`(
        on backing: Backing
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            try Self.fill(container)
            let context = container.newContext()
            let baskets = try context.fetch(FetchRequest<Basket>().prefetching("fruits"))
            #expect(baskets.first?.fruits.array.count == 2)
            let parent = container.newContext()
            let child = parent.newChild()
            #expect(try child.fetch(FetchRequest<Basket>()).first?.best?.name == "boskoop")
            let request = FetchRequest<Basket>().sorted(by: "name")
            let shown = container.newContext()
            let controller = try FetchedResultsController(request, in: shown)
            try controller.performFetch()
            #expect(controller.fetchedObjects.first?.fruits.map(\.name).count == 2)
        }
    }

    @Test func `an object that was made of another class ends the program, which says why`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try withContainer(RelatedClassTests.model(), on: .embedded) { container in
                try RelatedClassTests.fill(container)
                let context = container.newContext()
                let fruits = try context.all("Fruit")
                let basket = try context.fetch(FetchRequest<Basket>()).first
                _ = basket?.fruits.array
                _ = fruits
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("is asked for as Fruit") && text.contains("'withClasses'"))
    }
}
