import Foundation
package import Testing

extension Trait where Self == TimeLimitTrait {
  /// A time limit for tests that would hang if the tested code is broken.
  ///
  /// It is shorter than the check's limit for all tests, so that the hanging test is named. It is
  /// long because tests of one process wait for each other, which counts too. The environment
  /// variable `PARHELION_PATIENCE` multiplies it, like the check's limits.
  package static var endsAtAll: Self {
    let patience = ProcessInfo.processInfo.environment["PARHELION_PATIENCE"].flatMap(Int.init)
    return .timeLimit(.minutes(12 * max(patience ?? 1, 1)))
  }
}
