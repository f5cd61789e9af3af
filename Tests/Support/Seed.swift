/// A seed.
package struct Seed: Sendable {}
