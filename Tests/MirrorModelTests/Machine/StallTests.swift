import Foundation
import MirrorModel
import SyncKernel
import TestSupport
import Testing

/// Work that is due and makes no progress.
@Suite("Stalled stores", .endsAtAll)
struct StallTests {
  private static let stall = MirrorLimits.stallSeconds
  private static let firstWait = MirrorLimits.backOff.first / .seconds(1)

  /// The transcript of a store that is running a step after a trigger.
  private func running(_ step: MirrorStep, after trigger: MirrorMachine.Trigger) -> Transcript {
    var transcript = Transcript()
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(trigger)
    #expect(transcript.next() == step)
    return transcript
  }

  @Test(arguments: [(MirrorStep.importing, MirrorMachine.Trigger.push), (.exporting, .saved)])
  func `A step that makes progress is not stalled, however long it takes`(
    step: MirrorStep, trigger: MirrorMachine.Trigger
  ) {
    var transcript = running(step, after: trigger)
    for _ in 0..<3 {
      transcript.wait(Self.stall - 1)
      transcript.machine.noteProgress(at: transcript.now)
      transcript.wait(2)
      #expect(!transcript.machine.isStalled(at: transcript.now))
      #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall - 2)
    }
    transcript.wait(Self.stall - 2)
    #expect(transcript.machine.isStalled(at: transcript.now))
    transcript.end(moved: true)
    #expect(!transcript.machine.isStalled(at: transcript.now))
  }

  @Test func `Work that is requested after a long rest is not stalled at once`() {
    var transcript = running(.importing, after: .push)
    transcript.end(moved: true)
    transcript.machine.noteProgress(at: transcript.now)
    #expect(transcript.machine.alarm(at: transcript.now) == nil)
    transcript.wait(Self.stall)
    transcript.note(.saved)
    #expect(!transcript.machine.isStalled(at: transcript.now))
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall)
  }

  @Test(arguments: [(MirrorStep.importing, MirrorMachine.Trigger.push), (.exporting, .saved)])
  func `A running step has an alarm at the time at which it stalls`(
    step: MirrorStep, trigger: MirrorMachine.Trigger
  ) {
    let transcript = running(step, after: trigger)
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall)
  }

  @Test(arguments: [MirrorError.Kind.noAccount, .zoneDeletedByUser])
  func `A blocked store has an alarm until it stalls`(kind: MirrorError.Kind) {
    var transcript = running(.importing, after: .push)
    transcript.end(kind)
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall)
    transcript.wait(Self.stall)
    #expect(transcript.machine.isStalled(at: transcript.now))
    #expect(transcript.machine.alarm(at: transcript.now) == nil)
  }

  @Test func `A wait ends when the first of several delayed steps can run`() {
    var transcript = running(.exporting, after: .saved)
    transcript.end(.quotaExceeded)
    let pauseEnd = transcript.now + MirrorLimits.blockerPauseSeconds
    #expect(transcript.phase == .waiting(until: pauseEnd))
    transcript.note(.push)
    #expect(transcript.next() == .importing)
    transcript.end(.offline)
    #expect(transcript.phase == .waiting(until: transcript.now + Self.firstWait))
    transcript.wait(Self.firstWait)
    #expect(transcript.runAll() == [.importing])
    #expect(transcript.phase == .waiting(until: pauseEnd))
  }

  /// The program saves twice during an export, which fails, so that two reasons delay the next one.
  @Test(arguments: [
    (MirrorError.Kind.offline, firstWait), (.quotaExceeded, MirrorLimits.blockerPauseSeconds),
  ])
  func `A step that is delayed for several reasons waits for the last one`(
    failure: MirrorError.Kind, seconds: Double
  ) {
    var transcript = Transcript(debouncesSaves: true)
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.note(.saved)
    transcript.end(failure)
    let debounce = MirrorLimits.debounceQuietSeconds
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + debounce)
    #expect(transcript.phase == .waiting(until: transcript.now + seconds))
    transcript.wait(debounce)
    #expect(transcript.next() == nil)
    transcript.wait(seconds)
    #expect(transcript.next() == .exporting)
  }

  @Test func `A changed account ends the pause of exports, and a new rejection starts another`() {
    var transcript = running(.exporting, after: .saved)
    transcript.end(.quotaExceeded)
    let pauseEnd = transcript.now + MirrorLimits.blockerPauseSeconds
    transcript.note(.accountChanged)
    #expect(transcript.next() == .setUp)
    transcript.end(.offline)
    #expect(transcript.phase == .waiting(until: transcript.now + Self.firstWait))
    transcript.wait(Self.firstWait)
    #expect(transcript.next() == .setUp)
    transcript.end()
    #expect(transcript.next() == .importing)
    transcript.end()
    #expect(transcript.next() == .exporting)
    transcript.end(.quotaExceeded)
    #expect(transcript.phase == .waiting(until: pauseEnd + Self.firstWait))
  }
}
