import MirrorLedger
import MirrorModel
import Synchronization

/// The state that the parts of an engine share.
final class EngineContext: Sendable {
  let mirror: MirrorStore
  /// Whether steps run by themselves.
  let isAutomatic: Bool
  let sizes: TransferSizes
  /// The wrong decisions of a simulation; nil in programs.
  let plantedBugs: PlantedBugs?
  /// The writer of log lines.
  let logging: MirrorLogging
  /// The server's notifications since the last import.
  let news = MirrorNews()
  private let state = Mutex<(hook: MirrorHook?, onProgress: @Sendable () -> Void)>((nil, {}))
  /// The permissions of the user for objects of shares.
  let permissions = SharePermissions()

  init(
    mirror: MirrorStore, isAutomatic: Bool, sizes: TransferSizes, plantedBugs: PlantedBugs?,
    logging: MirrorLogging
  ) {
    (self.mirror, self.isAutomatic) = (mirror, isAutomatic)
    (self.sizes, self.plantedBugs, self.logging) = (sizes, plantedBugs, logging)
  }

  /// The program's decisions about fields that changed on both sides.
  var hook: MirrorHook? {
    get { state.withLock { $0.hook } }
    set { state.withLock { $0.hook = newValue } }
  }

  /// Sets the block that is called when a step makes progress.
  func observeProgress(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onProgress = body }
  }

  /// Forgets permissions, and notifies the program that a share changed.
  func sharesChanged() {
    permissions.forget()
    mirror.postShareChange()
  }

  /// Records progress, so that the store does not count as stalled.
  func noteProgress() { state.withLock { $0.onProgress }() }
}

/// A part of an engine.
protocol EnginePart: Sendable {
  var shared: EngineContext { get }
}

extension EnginePart {
  var mirror: MirrorStore { shared.mirror }
  var ledger: Ledger { shared.mirror.ledger }
  var sizes: TransferSizes { shared.sizes }
  var plantedBugs: PlantedBugs? { shared.plantedBugs }
  var isAutomatic: Bool { shared.isAutomatic }
  var hook: MirrorHook? { shared.hook }
  var news: MirrorNews { shared.news }

  func noteProgress() { shared.noteProgress() }

  /// Writes a line about the store, if the level asks for it.
  func log(_ level: MirrorLogging.Level, _ text: @autoclosure () -> String) {
    shared.logging.note(level, mirror.storeName, text())
  }
}
