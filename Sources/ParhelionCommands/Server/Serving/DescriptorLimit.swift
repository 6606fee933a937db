import Foundation

/// The number of files and connections that a process may have open.
package enum DescriptorLimit {
  /// Raises it to what the system allows: usual systems begin with a thousand, and each device that
  /// waits is one.
  ///
  /// - Returns: What it is now.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 0
    }
    let former = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    let isRaised = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    return Int(clamping: isRaised ? limit.rlim_max : former)
  }
}
