/// The sizes that bound the work of this module.
enum Limits {
  /// The output requested from the library per call: large enough to make the cost of calls
  /// negligible, small enough to stay in a second-level cache.
  static let outputStepBytes = 64 * 1024

  /// The maximum input passed to the library per call.
  ///
  /// The library's counters are 32 bits wide.
  static let inputStepBytes = 1 << 20
}
