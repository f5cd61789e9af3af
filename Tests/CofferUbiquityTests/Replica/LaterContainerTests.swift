import Coffer
import CofferContainer
import CofferLinux
import CofferMerge
import CofferUbiquity
import ContextSupport
import Testing

/// A container in which a later version of Coffer has put a marker that this one cannot read.
struct LaterContainerTests {
    @Test func `what is saved waits while the container is of a later format, and goes out then`() throws {
        try withSharedFolder { shared in
            let model = try teams()
            let (one, other) = (try shared.device("one", model), try shared.device("other", model))
            exchange([one, other])
            let place = try Folder(at: "\(shared.folder)/root/\(Device.application)/Store")
            let content = try MarkerContent(peer: PeerID(9), time: 1).bytes()
            let (name, bytes) = ContainerObject(.marker(.random()), content: content).packed()
            var later = bytes
            later[4] = 2
            try place.replace("\(name)", with: later)
            let before = try place.names().sorted()
            let context = one.context()
            try context.make("Tag", ["name": "new"])
            try context.save()
            for device in [one, other] {
                device.run()
                #expect(device.status.condition == .newer(version: 2))
                #expect(device.status.missing.contains { $0.contains("update Coffer") })
            }
            #expect(one.status.unwrittenFolds == 1)
            #expect(try place.names().sorted() == before, "nothing is put there")
            try place.replace("\(name)", with: bytes)
            exchange([one, other])
            #expect(one.status.condition == .there(.open) && one.status.unwrittenFolds == 0)
            #expect(try contents(of: other).count == 1)
        }
    }
}
