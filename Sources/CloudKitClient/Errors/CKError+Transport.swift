package import CloudTransport
import Foundation

extension CKError {
  /// An error with a sentence that says what was wrong and what to do.
  package init(_ code: Code, _ sentence: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence])
  }

  /// The error for a request that was not sent again.
  init(_ failure: RetryPolicy.Failure) {
    switch failure {
    case .server(let error): self.init(error)
    case .transport(let fault): self.init(fault)
    }
  }

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
