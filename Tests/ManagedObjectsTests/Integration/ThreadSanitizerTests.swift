import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// The thread sanitizer must find races in Swift code, and must not report contended mutexes.
///
/// Each test runs in a separate process, since one that finds a race ends with a status that says
/// so.
@Suite(.requiresThreadSanitizer, .tags(.threads)) struct `Thread sanitizer findings` {
  @Test func `An unguarded value is a race`() async {
    let result = await #expect(
      processExitsWith: .exitCode(ThreadSanitizer.exitCodeOfFinding),
      observing: [\.standardErrorContent]
    ) {
      let counter = Counter()
      meet { _ in counter.value += 1 }
    }
    #expect(result.map { Self.tellsRace($0.standardErrorContent) } == true)
  }

  @Test func `A value guarded by a contended mutex is not a race`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let counter = Counter()
      let mutex = Mutex(())
      meet { waitForOther in
        mutex.withLock { _ in
          counter.value += 1
          waitForOther()
          counter.value += 1
        }
      }
      precondition(counter.value == 4)
    }
  }

  /// The annotations of mutexes must not hide this race: the threads meet at one mutex, and change
  /// a value that it does not guard.
  @Test func `A value next to a contended mutex is a race`() async {
    let result = await #expect(
      processExitsWith: .exitCode(ThreadSanitizer.exitCodeOfFinding),
      observing: [\.standardErrorContent]
    ) {
      let counter = Counter()
      let mutex = Mutex(())
      meet { waitForOther in
        mutex.withLock { _ in waitForOther() }
        counter.value += 1
      }
    }
    #expect(result.map { Self.tellsRace($0.standardErrorContent) } == true)
  }

  private static func tellsRace(_ output: [UInt8]) -> Bool {
    let text = String(decoding: output, as: UTF8.self)
    return text.contains("ThreadSanitizer") && text.contains("race")
  }
}

// Sendable: it is not, which the sanitizer must find.
private final class Counter: @unchecked Sendable {
  var value = 0
}

/// Runs a body on two threads, and returns when both are done.
///
/// The first thread that calls the body's argument waits until the other thread has reached a mutex
/// that is held.
private func meet(_ body: @escaping @Sendable (_ waitForOther: () -> Void) -> Void) {
  let isFirst = Atomic<Bool>(true)
  let done = DispatchSemaphore(value: 0)
  for _ in 0..<2 {
    Thread.detachNewThread {
      body {
        guard isFirst.exchange(false, ordering: .relaxed) else { return }
        while ThreadSanitizer.contendedLocks == 0 {}
      }
      done.signal()
    }
  }
  for _ in 0..<2 { done.wait() }
}
