package import CloudTransport
import Foundation

extension CKError {
  /// An error with a sentence that says what was wrong and what to do.
  package init(_ code: Code, _ sentence: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence])
  }

  /// An error of this machine, such as a disk that is full: the system's own error lies beneath it.
  init(_ code: Code, _ what: String, because error: any Error) {
    self.init(
      code,
      userInfo: [
        NSLocalizedDescriptionKey: "\(what): \(error.localizedDescription)",
        NSUnderlyingErrorKey: error as NSError,
      ])
  }

  /// The error for a request that was not sent again.
  init(_ failure: RetryPolicy.Failure) {
    let error: CKError
    switch failure {
    case .server(let told): error = CKError(told)
    case .transport(let fault): error = CKError(fault)
    }
    self = failure.mayHaveArrived ? error.ofWhatMayHaveArrived : error
  }

  /// The same, of a request that the server may have carried out.
  var ofWhatMayHaveArrived: CKError {
    CKError(code, userInfo: userInfo.merging([Self.mayHaveArrivedKey: true]) { own, _ in own })
  }

  /// The same, of a request that the server has not carried out.
  var ofWhatDidNotArrive: CKError {
    CKError(code, userInfo: userInfo.filter { $0.key != Self.mayHaveArrivedKey })
  }

  /// Whether it is the error of a request that the server may have carried out.
  var mayHaveArrived: Bool { userInfo[Self.mayHaveArrivedKey] != nil }

  private static let mayHaveArrivedKey = "ParhelionMayHaveArrived"

  /// The error for a request that got no answer.
  package init(_ fault: TransportError) {
    var details: [String: Any] = [NSLocalizedDescriptionKey: fault.reason]
    if let number = fault.systemError {
      details[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
    }
    self.init(fault.clientCode, userInfo: details)
  }
}

extension TransportError {
  /// The code in Apple's API.
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
