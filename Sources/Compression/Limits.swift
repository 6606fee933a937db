/// The sizes that bound the work of this module.
enum Limits {
  /// How much output is asked of the library at a time: large enough that calls do not matter,
  /// small enough to stay in a second-level cache.
  static let outputStepBytes = 64 * 1024

  /// How much input is handed to the library at a time; its counters are 32 bits wide.
  static let inputStepBytes = 1 << 20
}
