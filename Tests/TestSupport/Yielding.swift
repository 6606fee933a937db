/// Lets others go on for as long as something holds.
///
/// A test that has reached its limit of time is cancelled; a loop that did not heed it would take a
/// thread from all others until the whole run was ended.
///
/// - Throws: What the condition throws, and `CancellationError` where the test has ended.
package func yields(
  isolation: isolated (any Actor)? = #isolation,
  while condition: @autoclosure () async throws -> Bool
) async throws {
  while try await condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
