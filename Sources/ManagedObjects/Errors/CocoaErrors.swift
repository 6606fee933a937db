package import Foundation
import ObjectRows
import SQLiteStore

/// Converts a store's error to the error that the public API throws.
///
/// Errors of lower layers become errors in Cocoa's domain. Any other error is returned unchanged.
package func publicError(for error: any Error) -> any Error {
  if let error = error as? StoreError { return cocoaError(for: error) }
  if let failure = SQLiteFailure(in: error) { return cocoaError(for: failure) }
  return error
}

/// Returns a closure's result, and converts its errors to those of the public API.
package func throwingPublicErrors<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    throw publicError(for: error)
  }
}

/// An error in Cocoa's domain.
///
/// The message names the cause, the location, and the remedy.
package func cocoaError(_ code: Int, _ message: String, _ userInfo: [String: Any] = [:]) -> NSError
{
  var userInfo = userInfo
  userInfo[NSLocalizedDescriptionKey] = message
  return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
}

/// Converts a store's error to an error in Cocoa's domain.
///
/// | part of the store's error | in `userInfo` |
/// |---|---|
/// | message | the description |
/// | `context` | each entry by its key; `file` also as `NSFilePathErrorKey` and `NSURLErrorKey` |
/// | the cause | `NSUnderlyingErrorKey`, its description as the failure reason |
/// | SQLite's result code | `NSSQLiteErrorDomain`, its remedy as the recovery suggestion |
private func cocoaError(for error: StoreError) -> NSError {
  var userInfo: [String: Any] = error.context
  userInfo["reason"] = error.code.name
  if let path = error.context["file"] { name(path, in: &userInfo) }
  if let failure = SQLiteFailure(in: error) {
    describe(failure, in: &userInfo)
  } else if let underlying = error.underlying {
    userInfo[NSUnderlyingErrorKey] = publicError(for: underlying)
    userInfo[NSLocalizedFailureReasonErrorKey] = "\(underlying)"
  }
  return cocoaError(error.code.cocoaCode, error.message, userInfo)
}

private func cocoaError(for failure: SQLiteFailure) -> NSError {
  var userInfo: [String: Any] = [:]
  describe(failure, in: &userInfo)
  return cocoaError(failure.cocoaCode, failure.message, userInfo)
}

private func describe(_ failure: SQLiteFailure, in userInfo: inout [String: Any]) {
  userInfo[NSSQLiteErrorDomain] = NSNumber(value: failure.resultCode)
  userInfo[NSLocalizedFailureReasonErrorKey] = failure.message
  userInfo[NSLocalizedRecoverySuggestionErrorKey] = failure.remedy
  userInfo[NSUnderlyingErrorKey] = NSError(
    domain: NSSQLiteErrorDomain, code: failure.resultCode,
    userInfo: [NSLocalizedDescriptionKey: failure.message])
  if let path = failure.path, userInfo[NSFilePathErrorKey] == nil { name(path, in: &userInfo) }
}

private func name(_ path: String, in userInfo: inout [String: Any]) {
  userInfo[NSFilePathErrorKey] = path
  userInfo[NSURLErrorKey] = URL(fileURLWithPath: path)
}
