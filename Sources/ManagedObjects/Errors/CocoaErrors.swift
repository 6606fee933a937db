package import Foundation

/// An error in Cocoa's domain.
///
/// The message says what was wrong, where, and what to do.
package func cocoaError(_ code: Int, _ message: String, _ userInfo: [String: Any] = [:]) -> NSError {
  var userInfo = userInfo
  userInfo[NSLocalizedDescriptionKey] = message
  return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
}
