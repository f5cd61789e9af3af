import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

/// The built `coffer` on a private bus that starts the built `cofferd`.
struct Tool {
    /// What a command did.
    struct Outcome {
        let code: Int32
        let lines: [String]
        let errors: String

        /// The last line, as JSON.
        var json: [String: JSONText] {
            get throws {
                try JSONDecoder().decode([String: JSONText].self, from: Data((lines.last ?? "").utf8))
            }
        }
    }

    let bus: PrivateBus
    private let executable: String

    init(bus: PrivateBus) throws {
        self.bus = bus
        executable = try BuiltProducts.path(of: "coffer")
    }

    /// The path of a file of the test.
    func path(_ name: String) -> String { "\(bus.path)/home/\(name)" }

    /// Writes a file of the test and gives its path.
    func write(_ name: String, _ text: String) throws -> String {
        try Folder(at: "\(bus.path)/home").replace(name, with: Array(text.utf8))
        return path(name)
    }

    /// Runs a command to its end.
    @discardableResult
    func callAsFunction(_ arguments: String...) throws -> Outcome { try run(executable, arguments) }

    /// Runs a command to its end.
    func run(_ arguments: [String]) throws -> Outcome { try run(executable, arguments) }

    /// Runs a command to its end as if no file system knew locks on parts of files.
    func withoutRangeLocks(_ arguments: [String]) throws -> Outcome {
        try run(try BuiltProducts.path(of: "refusing"), ["locks", executable] + arguments)
    }

    /// Runs a shell's command line, in which `$coffer` is the tool.
    func shell(_ line: String) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh", arguments: ["-c", line],
            environment: bus.environment.merging(["coffer": executable]) { $1 },
            output: .pipe, errors: .pipe)
    }

    /// Starts a command that a test listens to.
    func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            executable, arguments: arguments, environment: bus.environment, output: .pipe, errors: .pipe)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        let folder = try Folder(at: "\(bus.path)/home")
        let name = "errors-\(Randomness.words().0)"
        let errors = try folder.openBeneath(name, [.writeOnly, .create])
        let child = try ChildProcess(
            program, arguments: arguments, environment: bus.environment, output: .pipe, errors: .file(errors))
        let lines = try child.outputLines()?.rest() ?? []
        guard case .code(let code) = try child.waitForExit() else { throw Ended(arguments: arguments) }
        let text = String(decoding: try folder.read(name, limit: 1 << 20), as: UTF8.self)
        return Outcome(code: code, lines: lines, errors: text)
    }

    /// A command that a signal ended.
    struct Ended: Error {
        let arguments: [String]
    }
}

/// A scalar of JSON as text; lists and objects are empty.
struct JSONText: Decodable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    let description: String

    init(stringLiteral text: String) { description = text }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            description = "null"
        } else if let text = try? container.decode(String.self) {
            description = text
        } else if let truth = try? container.decode(Bool.self) {
            description = "\(truth)"
        } else if let number = try? container.decode(Decimal.self) {
            description = number.description
        } else {
            description = ""
        }
    }
}

/// Lends the tool on a bus of its own.
func withTool(_ body: (Tool) throws -> Void) throws {
    let daemon = try BuiltProducts.path(of: "cofferd")
    let bus = try PrivateBus(services: [.init(name: "org.coffer.Storage1", executable: daemon)])
    defer { bus.stop() }
    try body(try Tool(bus: bus))
}

/// Lends the tool, and a store `Library` with authors and books.
func withLibrary(_ body: (Tool) throws -> Void) throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        let added = try coffer("store", "add", "Library", "--model", model)
        try #require(added.code == 0, "\(added.errors)")
        try body(coffer)
    }
}

let libraryModel = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Author" syncable="YES">
            <attribute name="code" attributeType="String" maxValueString="4"/>
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
    inverseName="author" inverseEntity="Book"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="title" attributeType="String"/>
            <attribute name="copies" optional="YES" attributeType="Integer 16"/>
            <attribute name="cover" optional="YES" attributeType="Binary"/>
            <attribute name="isbn" optional="YES" attributeType="UUID"/>
            <attribute name="lent" optional="YES" attributeType="Boolean"/>
            <attribute name="link" optional="YES" attributeType="URI"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="printed" optional="YES" attributeType="Date"/>
            <attribute name="weight" optional="YES" attributeType="Double"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
    inverseName="books" inverseEntity="Author"/>
            <relationship name="sequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
    inverseName="prequel" inverseEntity="Book"/>
            <relationship name="prequel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" \
    inverseName="sequel" inverseEntity="Book"/>
        </entity>
    </model>
    """
