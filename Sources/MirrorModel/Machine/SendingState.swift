import Foundation
import SyncKernel

/// The delays and limits of sending changes.
package struct SendingState: Equatable, Sendable {
  /// The errors that keep parts from being sent.
  package internal(set) var blockers: [MirrorError] = []
  /// Whether rejected changes are sent again.
  package internal(set) var includesRefused = false
  /// The number of times that the size of a request was halved.
  package internal(set) var halvings = 0
  /// The pause before whose end nothing is sent.
  private(set) var pause: TimedWait?
  /// The saves that are being coalesced into one export; nil if a save is sent at once.
  private(set) var gathering: SaveDebounce?
  /// The time of the latest save.
  private var lastSave: Date?

  /// Saves that are sent together, because they come faster than they are sent.
  ///
  /// The gathering ends when a moment passes without a save, or at a limit.
  struct SaveDebounce: Equatable, Sendable {
    private let longest: TimedWait
    private var quiet: TimedWait
    /// The time of the next check, so that a save needs no timer of its own.
    private var check: Date

    init(from now: Date) {
      longest = TimedWait(from: now, seconds: MirrorLimits.debounceLimitSeconds)
      quiet = TimedWait(from: now, seconds: MirrorLimits.debounceQuietSeconds)
      check = min(quiet.until, longest.until)
    }

    mutating func noteSave(at now: Date) {
      quiet = TimedWait(from: now, seconds: MirrorLimits.debounceQuietSeconds)
    }

    func isOver(at now: Date) -> Bool { quiet.isOver(at: now) || longest.isOver(at: now) }

    var until: Date { min(quiet.until, longest.until) }

    func alarm(at now: Date) -> Date { check > now ? check : until }

    /// Moves the check to the present end, because saves came after it was set.
    mutating func postponeCheck() { check = until }
  }

  /// The records of a request, after halving for a server that found it too large.
  package var recordsInRequest: Int { max(1, MirrorLimits.recordsInRequest >> halvings) }
  /// The bytes of a request.
  package var bytesInRequest: Int { max(1, MirrorLimits.bytesInRequest >> halvings) }

  func isOpen(at now: Date) -> Bool {
    (pause?.isOver(at: now) ?? true) && (gathering?.isOver(at: now) ?? true)
  }

  /// Records a save, and starts gathering if it follows another one at once during an export.
  ///
  /// A program that saves twice in a moment usually saves again at once.
  mutating func noteSave(gathers: Bool, at now: Date) {
    let isFast = lastSave.map { now < $0 + MirrorLimits.debounceQuietSeconds } ?? false
    if gathers, isFast, gathering == nil { gathering = SaveDebounce(from: now) }
    gathering?.noteSave(at: now)
    lastSave = now
  }

  /// Ends the pause for new changes although others were rejected, unless nothing can be sent at
  /// all.
  mutating func allowNewChanges() {
    if !blockers.contains(where: \.kind.concernsEverything) { pause = nil }
  }

  /// Sends rejected changes at once.
  mutating func retryRefused() { (pause, includesRefused) = (nil, true) }

  mutating func endDebounce() { gathering = nil }

  mutating func endPause() { pause = nil }

  mutating func noteTime(_ now: Date) {
    if let pause, pause.isOver(at: now) { retryRefused() }
    guard let gathering else { return }
    if gathering.isOver(at: now) { endDebounce() } else { self.gathering?.postponeCheck() }
  }

  /// Holds rejected changes back for a while.
  mutating func hold(_ seconds: Double?, at now: Date) {
    pause = TimedWait(from: now, seconds: seconds ?? MirrorLimits.blockerPauseSeconds)
  }

  /// Ends an export with its blockers.
  mutating func end(_ blockers: [MirrorError]) {
    (self.blockers, includesRefused) = (blockers, false)
  }
}
