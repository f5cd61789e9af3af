// swift-tools-version: 6.2
import PackageDescription

/// The same for every Swift target: what the compiler can prove, it must.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Whether `Tests/run --all` builds: what takes minutes to build is left out otherwise.
let testsAll = Context.environment["COFFER_TEST_ALL"] != nil

/// The rules of merging, and what runs them by thousands of schedules.
///
/// For these they are optimised in builds for debugging too. Others may not depend on a package with such flags.
let rules = house + (testsAll ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : [])

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// The tests of a module, which may also import `others`.
func tests(_ module: String, _ others: String...) -> Target {
    .testTarget(
        name: module + "Tests",
        dependencies: [.byName(name: module), "TestSupport"] + others.map { .byName(name: $0) },
        swiftSettings: house)
}

/// Like an application's target: its model becomes Swift by the plugin, whose tool is built for that beside all
/// else, module by module.
let pluginTests = Target.testTarget(
    name: "CofferModelPluginTests",
    dependencies: ["CofferFormats", "CofferEmbedded", "Coffer", "TestSupport"],
    swiftSettings: house, plugins: ["CofferModelPlugin"])

let package = Package(
    name: "coffer",
    products: [
        .library(name: "Coffer", targets: ["Coffer"]),
        .library(name: "CofferEmbedded", targets: ["CofferEmbedded"]),
        .plugin(name: "CofferModelPlugin", targets: ["CofferModelPlugin"]),
        .executable(name: "coffer", targets: ["coffer"]),
        .executable(name: "cofferd", targets: ["cofferd"]),
        .executable(name: "coffer-bench", targets: ["coffer-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // C, reached through one Swift wrapper each.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .target(name: "CLinux"),
        .target(name: "CSQLiteVFS", dependencies: ["CSQLite"]),
        .target(name: "CCofferMessages", dependencies: ["CProtobufC"]),

        // Ours, in the order of the house: imports point down.
        .target(name: "CofferModel", swiftSettings: house),
        .target(name: "CofferLinux", dependencies: ["CLinux"], swiftSettings: house),
        .target(name: "CofferDBus", dependencies: ["CDBus", "CofferLinux"], swiftSettings: house),
        .target(name: "CofferSQLite", dependencies: ["CSQLite", "CSQLiteVFS"], swiftSettings: house),
        .target(
            name: "CofferFormats", dependencies: ["CExpat", "CZlib", "CSodium", "CofferModel"],
            swiftSettings: house),
        .target(
            name: "CofferContainer",
            dependencies: ["CofferMerge", "CofferFormats", "CofferWire", "CofferLinux", "CofferModel"],
            swiftSettings: rules),
        .target(
            name: "CofferGeneration", dependencies: ["CofferFormats", "CofferModel"], swiftSettings: house),
        .target(
            name: "CofferWire", dependencies: ["CCofferMessages", "CProtobufC", "CofferModel"],
            swiftSettings: house),
        .target(name: "CofferMerge", dependencies: ["CofferModel"], swiftSettings: rules),
        .target(
            name: "CofferStores",
            dependencies: ["CofferSQLite", "CofferFormats", "CofferWire", "CofferModel", "CofferLinux"],
            swiftSettings: house),
        .target(
            name: "CofferCoordination",
            dependencies: ["CofferStores", "CofferWire", "CofferModel", "CofferLinux", "CofferSQLite"],
            swiftSettings: house),
        .target(
            name: "CofferUbiquity",
            dependencies: [
                "CofferCoordination", "CofferStores", "CofferContainer", "CofferMerge", "CofferSQLite",
                "CofferFormats", "CofferWire", "CofferLinux", "CofferModel",
            ], swiftSettings: house),
        .target(
            name: "Coffer",
            dependencies: [
                "CofferWire", "CofferDBus", "CofferLinux", "CofferFormats", "CofferModel", logging,
            ],
            swiftSettings: house),
        .target(
            name: "CofferEmbedded",
            dependencies: [
                "Coffer", "CofferCoordination", "CofferStores", "CofferFormats", "CofferWire", "CofferLinux",
                "CofferModel",
            ], swiftSettings: house),
        .target(
            name: "CofferService",
            dependencies: [
                "Coffer", "CofferEmbedded", "CofferCoordination", "CofferStores", "CofferFormats",
                "CofferDBus", "CofferWire", "CofferLinux",
                "CofferModel", "CofferUbiquity", "CofferContainer", "CofferMerge", logging,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "cofferd",
            dependencies: ["CofferService", "CofferDBus", "CofferLinux", arguments, logging],
            swiftSettings: house),
        .executableTarget(
            name: "coffer",
            dependencies: [
                "Coffer", "CofferEmbedded", "CofferStores", "CofferGeneration", "CofferFormats", "CofferWire",
                "CofferDBus", "CofferLinux", "CofferModel", arguments,
            ],
            swiftSettings: house),
        // Small, since packages with the plugin build it for themselves.
        .executableTarget(
            name: "coffer-model", dependencies: ["CofferGeneration", "CofferFormats"], swiftSettings: house),
        .plugin(
            name: "CofferModelPlugin", capability: .buildTool(), dependencies: ["coffer-model"],
            path: "Sources/CofferModelPlugin"),
        .executableTarget(
            name: "coffer-bench",
            dependencies: [
                "Coffer", "CofferEmbedded", "CofferStores", "CofferSQLite", "CofferDBus", "CofferWire",
                "CofferLinux", "CofferModel", arguments,
            ],
            exclude: ["RESULTS.md"], swiftSettings: house),

        .target(
            name: "TestSupport", dependencies: ["CofferModel", "CofferLinux", "CofferWire"],
            path: "Tests/Support",
            swiftSettings: house),
        // The rules of merging once more, slow and plain; peers that save, exchange and crash by schedule; and
        // what runs such schedules.
        .target(
            name: "MergeReference", dependencies: ["CofferMerge", "CofferModel"],
            path: "Tests/MergeReference", swiftSettings: rules),
        .target(
            name: "CofferSimulation",
            dependencies: [
                "Coffer", "CofferEmbedded", "CofferUbiquity", "CofferCoordination", "CofferStores",
                "CofferSQLite", "CofferContainer", "MergeReference", "CofferMerge", "CofferWire",
                "CofferLinux", "CofferModel",
            ], path: "Tests/CofferSimulation", swiftSettings: rules),
        .executableTarget(
            name: "coffer-sim", dependencies: ["CofferSimulation", "CofferMerge", arguments],
            path: "Tests/coffer-sim", swiftSettings: house),
        // Contexts over each coordinator, and models for them.
        .target(
            name: "ContextSupport",
            dependencies: ["Coffer", "CofferEmbedded", "CofferModel", "CofferLinux", "TestSupport"],
            path: "Tests/ContextSupport", swiftSettings: house),
        // The program that README.md shows.
        .executableTarget(name: "notes", dependencies: ["Coffer"], path: "Tests/Notes", swiftSettings: house),
        tests("CofferModel"),
        tests("CofferLinux"),
        tests("CofferDBus", "CofferLinux"),
        tests("CofferSQLite", "CofferLinux"),
        tests("CofferFormats", "CofferModel"),
        tests(
            "CofferContainer", "CofferSimulation", "CofferMerge", "CofferWire", "CofferFormats",
            "CofferLinux", "CofferModel"),
        tests(
            "CofferUbiquity", "CofferCoordination", "CofferStores", "CofferContainer", "CofferMerge",
            "CofferSQLite", "CofferWire", "CofferLinux", "CofferModel", "CofferEmbedded", "Coffer",
            "CofferSimulation", "ContextSupport"),
        .testTarget(
            name: "CofferGenerationTests",
            dependencies: [
                "CofferGeneration", "CofferFormats", "CofferModel", "Coffer", "CofferLinux", "TestSupport",
            ],
            exclude: ["Expected"], swiftSettings: house),
        tests("CofferWire", "CCofferMessages", "CofferModel"),
        tests("CofferMerge", "CofferSimulation", "MergeReference", "CofferModel"),
        tests("CofferStores", "CofferSQLite", "CofferWire", "CofferModel", "CofferFormats", "CofferLinux"),
        tests(
            "CofferCoordination", "CofferStores", "CofferSQLite", "CofferWire", "CofferModel",
            "CofferFormats",
            "CofferLinux"),
        tests(
            "Coffer", "CofferEmbedded", "CofferWire", "CofferModel", "CofferLinux", "CofferDBus",
            "CofferFormats"),
        .testTarget(
            name: "ContextTests",
            dependencies: [
                "Coffer", "CofferEmbedded", "CofferModel", "CofferLinux", "ContextSupport", "TestSupport",
                "cofferd",
            ],
            swiftSettings: house),
        tests(
            "CofferEmbedded", "Coffer", "CofferModel", "CofferFormats", "CofferStores", "CofferSQLite",
            "CofferWire",
            "CofferLinux",
            "ContextSupport"),
        .testTarget(
            name: "CofferServiceTests",
            dependencies: [
                "CofferService", "CofferCoordination", "CofferStores", "CofferWire", "CofferLinux",
                "CofferModel", "TestSupport", logging,
            ],
            swiftSettings: house),
        .executableTarget(
            name: "process-client",
            dependencies: ["Coffer", "CofferLinux", "CofferModel", "CofferWire", "TestSupport"],
            path: "Tests/ProcessClient", swiftSettings: house),
        // What cofferd runs, over files that fail when a test says so.
        .executableTarget(
            name: "faulty-service",
            dependencies: [
                "CofferService", "CofferStores", "CofferSQLite", "CofferDBus", "CofferLinux", logging,
            ],
            path: "Tests/FaultyService", swiftSettings: house),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "Coffer", "CofferEmbedded", "CofferDBus", "CofferSQLite", "CofferWire", "CofferLinux",
                "CofferModel",
                "CofferFormats", "CofferService", "CofferCoordination", "ContextSupport", "TestSupport",
                "coffer", "cofferd",
                "coffer-bench", "notes",
                "process-client", "faulty-service", "refusing",
            ],
            exclude: ["Machine", "Python"], swiftSettings: house),
        // Runs another program whose system refuses it something.
        .executableTarget(name: "refusing", path: "Tests/Refusing"),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "Coffer", "CofferLinux", "TestSupport", "coffer", "cofferd", "refusing",
            ],
            swiftSettings: house),
        .testTarget(
            name: "HouseTests", dependencies: ["CofferLinux", "TestSupport"], swiftSettings: house),
    ]
        + (testsAll ? [pluginTests] : [])
)
