import Synchronization

/// Stores the renewed tokens of one session in the credential store.
///
/// If the store cannot be written, requests still succeed with the new token in memory, and the
/// next renewal retries. Calls that use the store report its error.
final class TokenPersister: Sendable {
  private let store: any CredentialStore
  private let address: CloudAddress
  private let key: TokenKey
  private let dependencies: ClientDependencies
  private let state: Mutex<State>

  fileprivate struct State {
    var pacing = TokenPersistencePolicy()
    /// The session's tokens, the newest last.
    var tokens: [String]
    var isWritten = true
  }

  init(
    _ store: any CredentialStore, _ address: CloudAddress, _ key: TokenKey, token: String?,
    _ dependencies: ClientDependencies
  ) {
    self.store = store
    self.address = address
    self.key = key
    self.dependencies = dependencies
    state = Mutex(State(tokens: token.map { [$0] } ?? []))
  }

  deinit { write() }

  /// Handles a token that the server issued.
  func renewed(_ token: String) {
    let action = state.withLock { state in
      state.add(token)
      state.isWritten = false
      return state.pacing.renewed(at: dependencies.now())
    }
    switch action {
    case .nothing: break
    case .write: write()
    case .writeLater(let wait):
      Task { [weak self, dependencies] in
        try? await dependencies.wait(wait)
        self?.pauseEnded()
      }
    }
  }

  /// Whether a token belongs to this session.
  func owns(_ token: String) -> Bool { state.withLock { $0.tokens.contains(token) } }

  /// Handles a token that another process stored.
  func adopted(_ token: String) { state.withLock { $0.add(token) } }

  private func pauseEnded() {
    state.withLock { $0.pacing.due(at: dependencies.now()) }
    write()
  }

  private func write() {
    let tokens: [String]? = state.withLock { state in
      if state.isWritten { return nil }
      state.isWritten = true
      return state.tokens
    }
    guard let tokens else { return }
    do { try store.update(address) { $0.renew(key, tokens) } } catch {
      state.withLock { $0.isWritten = false }
    }
  }
}

extension TokenPersister.State {
  fileprivate mutating func add(_ token: String) {
    tokens.removeAll { $0 == token }
    tokens.append(token)
    tokens.removeFirst(max(0, tokens.count - AccountLimits.rememberedTokens))
  }
}
