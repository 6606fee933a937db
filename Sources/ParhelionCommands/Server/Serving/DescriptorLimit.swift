import Foundation

/// The number of files and connections that a process may have open.
enum DescriptorLimit {
  /// Raises it to what the system allows: usual systems begin with a thousand, and each device that waits is one.
  static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
