internal import CofferLinux
internal import CofferMerge

/// The folder in which an account has its containers, as a person names it; other software carries it.
///
/// It is the same wherever it lies and whatever it is called, since a marker in it says which it is. Two
/// devices that begin at once, before either's files are carried, each put one there: the folder has several
/// then, and is all of them.
package struct ContainerRoot: Sendable {
    /// Its path.
    package let path: String

    /// The folder at an absolute path; it is looked up again for each call.
    package init(at path: String) { self.path = path }

    /// What its markers say it is; none if it was not used yet.
    ///
    /// - Throws: `CarrierError.away` if the folder cannot be reached.
    package func markers() throws(CarrierError) -> Set<ContainerID> {
        try reaching { () throws(LinuxError) in try FolderCarrier.markers(among: Folder(at: path).names()) }
    }

    /// Puts a marker there, made at `time`, in seconds since 2001-01-01 UTC, which is kept once this returns.
    ///
    /// - Throws: `CarrierError.readOnly`, `.full` or `.away`; then there is none.
    package func put(_ marker: ContainerID, at time: Double) throws(CarrierError) {
        let microseconds = Int64(exactly: ((time + 978_307_200) * 1e6).rounded()) ?? 0
        // A few bytes always pack.
        let content = (try? MarkerContent(peer: .random(), time: microseconds).bytes()) ?? []
        let (name, bytes) = ContainerObject(.marker(marker), content: content).packed()
        try reaching(toWrite: true) { () throws(LinuxError) in
            try ObjectWriter().put(bytes, as: "\(name)", in: Folder(at: path))
        }
    }

    private func reaching<Result>(
        toWrite: Bool = false, _ body: () throws(LinuxError) -> Result
    ) throws(CarrierError) -> Result {
        do throws(LinuxError) {
            return try body()
        } catch {
            throw CarrierError(error, at: path, toWrite: toWrite)
        }
    }
}
