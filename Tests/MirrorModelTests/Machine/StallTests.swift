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

  private func amid(_ step: MirrorStep, _ trigger: MirrorMachine.Trigger) -> Transcript {
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
    var transcript = amid(step, trigger)
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

  @Test func `Earlier progress does not hide that later work is stalled`() {
    var transcript = amid(.importing, .push)
    transcript.end(moved: true)
    transcript.machine.noteProgress(at: transcript.now)
    #expect(transcript.machine.alarm(at: transcript.now) == nil)
    transcript.wait(Self.stall)
    transcript.note(.saved)
    #expect(!transcript.machine.isStalled(at: transcript.now))
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall)
  }

  @Test(arguments: [(MirrorStep.importing, MirrorMachine.Trigger.push), (.exporting, .saved)])
  func `A running step has an alarm for the moment at which it would be stalled`(
    step: MirrorStep, trigger: MirrorMachine.Trigger
  ) {
    let transcript = amid(step, trigger)
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall)
  }

  @Test(arguments: [MirrorError.Kind.noAccount, .zoneDeletedByUser])
  func `A store that waits for a decision has an alarm as well`(kind: MirrorError.Kind) {
    var transcript = amid(.importing, .push)
    transcript.end(kind)
    #expect(transcript.machine.alarm(at: transcript.now) == transcript.now + Self.stall)
    transcript.wait(Self.stall)
    #expect(transcript.machine.isStalled(at: transcript.now))
    #expect(transcript.machine.alarm(at: transcript.now) == nil)
  }

  @Test func `A wait ends with the next step, whatever else is delayed for longer`() {
    var transcript = amid(.exporting, .saved)
    transcript.end(.quotaExceeded)
    let room = transcript.now + MirrorLimits.blockerPauseSeconds
    #expect(transcript.phase == .waiting(until: room))
    transcript.note(.push)
    #expect(transcript.next() == .importing)
    transcript.end(.offline)
    #expect(transcript.phase == .waiting(until: transcript.now + Self.firstWait))
  }

  @Test func `A wait for one step ends with the last of its reasons`() {
    var transcript = amid(.exporting, .saved)
    transcript.end(.quotaExceeded)
    let room = transcript.now + MirrorLimits.blockerPauseSeconds
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
    #expect(transcript.phase == .waiting(until: room + Self.firstWait))
  }
}
