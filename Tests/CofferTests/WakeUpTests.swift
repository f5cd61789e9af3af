import Coffer
import CofferModel
import Testing

/// A context is called once for what waits, and again for what arrives while it takes that in.
@Suite struct WakeUpTests {
    private struct Family {
        let world: World
        let root: ManagedObjectContext
        let above: Note
        let child: ManagedObjectContext
        let below: Note
        let wakes = Counter()

        init() throws {
            world = try World()
            root = world.context()
            above = root.insert(Note.self)
            above.title = "n"
            try root.save()
            child = root.newChild()
            below = try #require(try child.existingObject(with: above.objectID) as? Note)
            child.wakeUp = { [wakes] in wakes.add() }
        }

        /// Does something in the middle of the child's next merge.
        func onMerge(_ body: @escaping () -> Void) -> NotificationToken {
            var isFirst = true
            return child.onNotification { notification in
                guard case .didMerge = notification, isFirst else { return }
                isFirst = false
                body()
            }
        }

        /// Lets the child merge what its parent saved.
        func merge() throws {
            above.rating += 1
            try root.save()
            #expect(wakes.count == 1)
            child.mergePendingChanges()
        }
    }

    @Test func `what a parent saves during a merge wakes its child again`() throws {
        let family = try Family()
        let token = family.onMerge {
            family.above.rating += 1
            #expect(throws: Never.self) { try family.root.save() }
        }
        try family.merge()
        #expect(family.wakes.count == 2)
        family.child.mergePendingChanges()
        #expect(family.below.rating == family.above.rating && family.wakes.count == 2)
        withExtendedLifetime(token) {}
    }

    @Test func `what a child asks during a merge wakes its parent again`() throws {
        let family = try Family()
        let grandchild = try family.child.newBackgroundChild()
        family.child.patienceOfChildren = .zero
        let token = family.onMerge {
            #expect(throws: CofferError.self) {
                try grandchild.performAndWait { context throws(CofferError) in
                    _ = try context.count(for: Note.all)
                }
            }
        }
        try family.merge()
        #expect(family.wakes.count == 2)
        withExtendedLifetime(token) {}
    }

    @Test func `a notice during another wakes a context that does not merge unasked`() throws {
        let world = try World()
        let context = world.context()
        context.automaticallyMergesChanges = false
        let wakes = Counter()
        context.wakeUp = { wakes.add() }
        var notices = 0
        let token = context.onNotification { notification in
            guard notification == .storesWillChange else { return }
            notices += 1
            if notices == 1 { world.coordinator.tell(.storesWillChange(nil)) }
        }
        world.coordinator.tell(.storesWillChange(nil))
        #expect(wakes.count == 1)
        context.performAndWait { _ in }
        #expect(wakes.count == 2 && notices == 1)
        context.performAndWait { _ in }
        #expect(wakes.count == 2 && notices == 2)
        withExtendedLifetime(token) {}
    }
}
