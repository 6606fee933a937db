import Foundation

/// The maximum number of open files and connections of a process.
package enum DescriptorLimit {
  /// Raises the limit to the system's maximum.
  ///
  /// Each waiting device needs a descriptor, and the usual limit is about a thousand.
  ///
  /// - Returns: The new limit, or 0 if it is unknown.
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
