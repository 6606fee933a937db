/// Yields to other tasks while a condition holds.
///
/// It ends when the test is cancelled at its time limit; otherwise the loop would occupy a thread
/// until the whole run ends.
///
/// - Throws: The condition's error, or `CancellationError` if the test is cancelled.
package func yields(
  isolation: isolated (any Actor)? = #isolation,
  while condition: @autoclosure () async throws -> Bool
) async throws {
  while try await condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
