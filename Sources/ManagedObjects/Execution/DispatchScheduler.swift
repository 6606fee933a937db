import Dispatch
import Synchronization

/// Runs blocks on threads, with one dispatch queue for each block queue.
///
/// A dispatch queue is created when it is first needed.
package struct DispatchScheduler: BlockScheduler {
  package init() {}

  package func blockQueue(label: String) -> any BlockQueue { DispatchBlockQueue(label: label) }

  package func mainBlockQueue() -> any BlockQueue { MainBlockQueue.shared }
}

/// A block queue with a separate dispatch queue.
private final class DispatchBlockQueue: BlockQueue {
  private let label: String
  private let queue = Mutex<DispatchQueue?>(nil)

  init(label: String) {
    self.label = label
  }

  func submit(_ block: @escaping @Sendable () -> Void) {
    queue.withLock { queue in
      if let queue { return queue }
      let made = DispatchQueue(label: label)
      queue = made
      return made
    }.async(execute: block)
  }

  var blocksPerTurn: Int { Limits.blocksPerTurn }
  var isBound: Bool { false }
  var isCurrent: Bool { false }
}

/// The block queue of the main queue.
///
/// On Linux, a program with an asynchronous main function has no main thread. Several threads take
/// turns in running the main queue and the main actor. So the queue is identified, not the thread.
private final class MainBlockQueue: BlockQueue {
  static let shared = MainBlockQueue()

  private let mark = DispatchSpecificKey<Bool>()

  private init() {
    DispatchQueue.main.setSpecific(key: mark, value: true)
  }

  func submit(_ block: @escaping @Sendable () -> Void) { DispatchQueue.main.async(execute: block) }

  var blocksPerTurn: Int { 1 }
  var isBound: Bool { true }
  var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
}
