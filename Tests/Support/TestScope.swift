import CofferLinux
package import Testing

/// Which tests run.
package enum TestScope {
    /// Whether all do, as by `Tests/run --all`.
    package static func isAll(
        _ environment: [String: String] = CurrentProcess.environment
    ) -> Bool { environment["COFFER_TEST_ALL"] != nil }
}

extension Trait where Self == ConditionTrait {
    /// Of what takes long, measures, or needs luck or the whole machine: it runs by `Tests/run --all` alone.
    package static var leftToAll: ConditionTrait {
        .enabled(if: TestScope.isAll(), "it is left to Tests/run --all")
    }
}
