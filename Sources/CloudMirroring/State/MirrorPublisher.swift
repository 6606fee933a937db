import CloudKitClient
import Foundation
import MirrorLedger
import MirrorModel
import SQLiteDriver
import Synchronization

/// Publishes events and state changes to the program.
package final class MirrorPublisher: Sendable {
  private let state = Mutex(State())
  /// The sender of notifications; weak, since the container retains this publisher indirectly.
  private let sender = Mutex(WeakSender())

  private struct State {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastNumber = 0
  }

  private struct WeakSender {
    weak var container: NSPersistentCloudKitContainer?
  }

  package init() {}

  deinit {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
  }

  func setSender(_ container: NSPersistentCloudKitContainer) {
    sender.withLock { $0.container = container }
  }

  // MARK: Events

  func began(_ event: NSPersistentCloudKitContainerEvent, _ engine: MirrorEngine) { post(event) }

  /// Stores an event, with the date of a completed step, and publishes it.
  func ended(
    _ event: NSPersistentCloudKitContainerEvent, _ engine: MirrorEngine, isStepComplete: Bool
  ) {
    let key: LedgerStateKey? =
      switch event.type {
      case .import: .lastImport
      case .export: .lastExport
      case .setup: nil
      }
    var state: [LedgerStateKey: Value] = [:]
    if isStepComplete, let key, let end = event.endDate {
      state[key] = .real(end.timeIntervalSinceReferenceDate)
    }
    // An event that cannot be stored is still published.
    try? engine.ledger.note(event.kept, setting: state)
    post(event)
  }

  private func post(_ event: NSPersistentCloudKitContainerEvent) {
    NotificationCenter.default.post(
      name: NSPersistentCloudKitContainer.eventChangedNotification,
      object: sender.withLock { $0.container },
      userInfo: [NSPersistentCloudKitContainer.eventNotificationUserInfoKey: event])
  }

  // MARK: The state

  /// Notifies listeners that the state may have changed.
  func stateChanged(_ engine: MirrorEngine) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
  }

  /// A stream with one element immediately, and one whenever the state may have changed.
  var changes: AsyncStream<Void> {
    // A slow listener gets one element for several changes.
    let (stream, line) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = line
      return state.lastNumber
    }
    line.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    line.yield()
    return stream
  }
}

extension NSPersistentCloudKitContainerEvent {
  /// The event in the form of the ledger.
  var kept: LedgerEvent {
    LedgerEvent(
      identifier: identifier, type: type.rawValue, start: startDate, end: endDate,
      succeeded: succeeded,
      error: error.map { EventError($0 as NSError) }.flatMap { try? JSONEncoder().encode($0) }.map {
        Array($0)
      })
  }

  /// Creates an event from the form of the ledger.
  convenience init?(_ kept: LedgerEvent, storeIdentifier: String) {
    guard let type = NSPersistentCloudKitContainer.EventType(rawValue: kept.type) else {
      return nil
    }
    let error = kept.error.flatMap { try? JSONDecoder().decode(EventError.self, from: Data($0)) }?
      .error
    self.init(
      identifier: kept.identifier, storeIdentifier: storeIdentifier, type: type,
      startDate: kept.start, endDate: kept.end, succeeded: kept.succeeded, error: error)
  }
}

/// The stored form of an event's error: its code and its texts.
private struct EventError: Codable {
  let domain: String
  let code: Int
  let message: String
  let remedy: String?
  let blocker: String?
  /// The code of the underlying CloudKit error, if there is one.
  let cause: Int?
  let causeMessage: String?

  init(_ error: NSError) {
    domain = error.domain
    code = error.code
    message = error.localizedDescription
    remedy = error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
    blocker = error.userInfo[MirrorErrorCode.blockerKey] as? String
    let beneath = error.userInfo[NSUnderlyingErrorKey] as? CKError
    (cause, causeMessage) = (beneath?.code.rawValue, beneath?.localizedDescription)
  }

  var error: NSError {
    var details: [String: Any] = [NSLocalizedDescriptionKey: message]
    details[NSLocalizedRecoverySuggestionErrorKey] = remedy
    details[MirrorErrorCode.blockerKey] = blocker
    if let code = cause.flatMap(CKError.Code.init(rawValue:)) {
      details[NSUnderlyingErrorKey] = CKError(
        code, userInfo: [NSLocalizedDescriptionKey: causeMessage ?? ""])
    }
    return NSError(domain: domain, code: code, userInfo: details)
  }
}
