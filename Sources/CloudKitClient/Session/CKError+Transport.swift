package import CloudTransport
import Foundation

extension CKError {
  /// Creates an error with a message that says what was wrong and what to do.
  package init(_ code: Code, _ sentence: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence])
  }

  /// Creates an error for a problem of this machine, such as a full disk, from the system's error.
  init(_ code: Code, _ what: String, because error: any Error) {
    self.init(
      code,
      userInfo: [
        NSLocalizedDescriptionKey: "\(what): \(error.localizedDescription)",
        NSUnderlyingErrorKey: error as NSError,
      ])
  }

  /// Creates the error of a request that is no longer retried.
  init(_ failure: RetryPolicy.Failure) {
    let error: CKError
    switch failure {
    case .server(let reported): error = CKError(reported)
    case .transport(let transportError): error = CKError(transportError)
    }
    self = failure.mayHaveArrived ? error.markedAsMaybeArrived : error
  }

  /// The same error, with another sentence in its description.
  func adding(_ sentence: String) -> CKError {
    let description = "\(localizedDescription) \(sentence)"
    return CKError(
      code, userInfo: userInfo.merging([NSLocalizedDescriptionKey: description]) { $1 })
  }

  /// The same error, for a request that the server may have performed.
  var markedAsMaybeArrived: CKError {
    CKError(code, userInfo: userInfo.merging([Self.mayHaveArrivedKey: true]) { own, _ in own })
  }

  /// The same error, for a request that the server has not performed.
  var markedAsNotArrived: CKError {
    CKError(code, userInfo: userInfo.filter { $0.key != Self.mayHaveArrivedKey })
  }

  /// Whether the server may have performed the request.
  var mayHaveArrived: Bool { userInfo[Self.mayHaveArrivedKey] != nil }

  private static let mayHaveArrivedKey = "ParhelionMayHaveArrived"

  /// Creates the error of a request without a response.
  package init(_ transportError: TransportError) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: transportError.reason]
    if let number = transportError.systemError {
      details[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
    }
    self.init(transportError.clientCode, userInfo: details)
  }
}

extension TransportError {
  /// The code in the public API.
  fileprivate var clientCode: CKError.Code {
    switch kind {
    case .offline: .networkUnavailable
    case .refused, .untrusted, .malformed: .networkFailure
    case .broken, .timedOut: mayHaveArrived ? .serverResponseLost : .networkFailure
    case .file: .assetFileNotFound
    case .cancelled: .operationCancelled
    case .address, .settings: .badContainer
    }
  }
}
