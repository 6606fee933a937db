internal import CThreadSanitizer
public import Testing

/// The thread sanitizer, which `Scripts/check-threads` builds tests with.
public enum ThreadSanitizer {
  /// Whether it watches this process.
  public static var isOn: Bool { parhelion_thread_sanitizer_is_on() }

  /// How often a thread has come to a mutex that another one held, counted before it waits.
  public static var contendedLocks: Int { Int(parhelion_contended_locks()) }

  /// What a process that finds a race ends with.
  public static let exitCodeOfFinding: Int32 = 66
}

extension Trait where Self == ConditionTrait {
  /// Runs a test under the thread sanitizer alone.
  public static var requiresThreadSanitizer: Self {
    .enabled(
      if: ThreadSanitizer.isOn, "only the thread sanitizer sees this (see Scripts/check-threads)")
  }
}
