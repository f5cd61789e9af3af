import Coffer
import CofferLinux
import Testing

struct CallSlotTests {
    @Test func `a wake-up that comes too late for its call wakes no later one`() {
        let slot = CallSlot<String>()
        slot.put("old", for: 1)
        #expect(slot.take(for: 3, until: Monotonic.now) == nil)
        slot.put("new", for: 3)
        slot.put("old", for: 1)
        #expect(slot.take(for: 3, until: nil) == "new")
        #expect(slot.take(for: 3, until: Monotonic.now) == nil, "each is taken once")
    }

    @Test func `a slot that is reset has forgotten its wake-up`() {
        let slot = CallSlot<String>()
        slot.put("reply", for: 1)
        slot.reset()
        #expect(slot.take(for: 1, until: Monotonic.now) == nil)
    }
}
