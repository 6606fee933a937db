import Foundation

/// The maximum number of open files and connections of a process.
package enum DescriptorLimit {
  /// Raises the limit to the system's maximum.
  ///
  /// The usual default is a thousand, and each waiting device needs one.
  ///
  /// - Returns: The new limit.
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
