package import CloudTransport
import Foundation

extension CKError {
  /// An error with a sentence that says what was wrong and what to do.
  package init(_ code: Code, _ sentence: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence])
  }

  /// The error for a request that was not sent again.
  init(_ failure: RetryPolicy.Failure) {
    let error: CKError
    switch failure {
    case .server(let told): error = CKError(told)
    case .transport(let fault): error = CKError(fault)
    }
    let mark: [String: Any] = failure.mayHaveArrived ? [Self.mayHaveArrivedKey: true] : [:]
    self.init(error.code, userInfo: error.userInfo.merging(mark) { own, _ in own })
  }

  /// Whether it is the error of a request that the server may have carried out.
  var mayHaveArrived: Bool { userInfo[Self.mayHaveArrivedKey] != nil }

  private static let mayHaveArrivedKey = "ParhelionMayHaveArrived"

  /// The error for a request that got no answer.
  package init(_ fault: TransportFault) {
    self.init(fault.clientCode, userInfo: [NSLocalizedDescriptionKey: fault.reason])
  }
}

extension TransportFault {
  /// The code in Apple's API.
  fileprivate var clientCode: CKError.Code {
    switch kind {
    case .offline: .networkUnavailable
    case .refused, .untrusted, .malformed: .networkFailure
    case .broken, .timedOut: mayHaveArrived ? .serverResponseLost : .networkFailure
    case .file: .assetFileNotFound
    case .cancelled: .operationCancelled
    case .address: .badContainer
    }
  }
}
