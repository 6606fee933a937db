internal import CThreadSanitizer
public import Testing

/// The thread sanitizer of tests that `Scripts/check-threads` builds.
public enum ThreadSanitizer {
  /// Whether the sanitizer is active in this process.
  public static var isOn: Bool { parhelion_thread_sanitizer_is_on() }

  /// The number of times that a thread found a mutex locked, counted before it waits.
  public static var contendedLocks: Int { Int(parhelion_contended_locks()) }

  /// The exit status of a process in which a race was found.
  public static let exitCodeOfFinding: Int32 = 66
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only under the thread sanitizer.
  public static var requiresThreadSanitizer: Self {
    .enabled(
      if: ThreadSanitizer.isOn, "only the thread sanitizer sees this (see Scripts/check-threads)")
  }
}

extension Tag {
  /// A suite in which threads meet: `Scripts/check-threads` runs it under the sanitizer.
  @Tag public static var threads: Self
}
