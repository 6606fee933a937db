extension HTTPConnection {
  /// Continues the TLS handshake, and starts to serve when it is complete.
  func continueHandshake() {
    guard case .secure(let session) = transport else { return }
    inputWaits = []
    switch session.continueHandshake() {
    case .count: beginAfterHandshake()
    case .waits(let events): inputWaits = events
    case .ended, .failed:
      service.report(.handshakeFailed(remoteAddress))
      closeSocket(isAbort: true)
    }
  }

  private func beginAfterHandshake() {
    isHandshaking = false
    perform(machine.start())
    readInput()
  }
}
