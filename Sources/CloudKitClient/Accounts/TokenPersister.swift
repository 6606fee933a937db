import Synchronization

/// Brings the renewed tokens of one session into the credential store.
///
/// A store that cannot be written keeps no request from its answer: the session goes on with the
/// new token in memory, the next renewal tries again, and the store's error is told by whatever
/// asks the store.
final class TokenPersister: Sendable {
  private let store: any CredentialStore
  private let place: CloudAddress
  private let key: TokenKey
  private let dependencies: ClientDependencies
  private let state: Mutex<State>

  fileprivate struct State {
    var pacing = TokenPersistencePolicy()
    /// The session's tokens, the newest last.
    var row: [String]
    var isWritten = true
  }

  init(
    _ store: any CredentialStore, _ place: CloudAddress, _ key: TokenKey, token: String?,
    _ dependencies: ClientDependencies
  ) {
    self.store = store
    self.place = place
    self.key = key
    self.dependencies = dependencies
    state = Mutex(State(row: token.map { [$0] } ?? []))
  }

  deinit { write() }

  /// The server gave a new token.
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
        self?.pauseIsOver()
      }
    }
  }

  /// Whether a token is one of the session's own.
  func knows(_ token: String) -> Bool { state.withLock { $0.row.contains(token) } }

  /// Another process gave the session a token, which is in the store already.
  func adopted(_ token: String) { state.withLock { $0.add(token) } }

  private func pauseIsOver() {
    state.withLock { $0.pacing.due(at: dependencies.now()) }
    write()
  }

  private func write() {
    let row: [String]? = state.withLock { state in
      if state.isWritten { return nil }
      state.isWritten = true
      return state.row
    }
    guard let row else { return }
    do { try store.update(place) { $0.renew(key, row) } } catch {
      state.withLock { $0.isWritten = false }
    }
  }
}

extension TokenPersister.State {
  fileprivate mutating func add(_ token: String) {
    row.removeAll { $0 == token }
    row.append(token)
    row.removeFirst(max(0, row.count - AccountLimits.rememberedTokens))
  }
}
