package import CofferLinux

extension FolderCarrier {
    package func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch {
        guard try isLocal() else {
            throw .unwatchable(place: place, reason: "it is on a network's file system, or one of a program")
        }
        let folder = try folder()
        // Of what was put before nothing is told.
        ownNames.forget()
        do throws(LinuxError) {
            // The folder of values is not watched: each comes before the log that names it, or else is looked
            // for again.
            return try FileWatcher.shared.watch(namesIn: folder) { [ownNames] hint in
                if let news = ownNames.news(in: hint) { body(news) }
            }
        } catch {
            throw .unwatchable(place: place, reason: error.reason)
        }
    }
}

extension FileWatcher.Watched: CarrierWatch {}
