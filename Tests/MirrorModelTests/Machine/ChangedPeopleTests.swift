import CloudKitClient
import Foundation
import MirrorModel
import Testing

/// A store with a share in which a person's keys differ from the trusted ones.
@Suite struct `Changed people` {
  private let error = CKError(
    .permissionFailure,
    userInfo: ["ParhelionChangedPeople": [CKRecord.ID(recordName: "_bob")]])

  @Test func `Changed keys are a blocker of their own, with a remedy`() {
    let blocker = MirrorError(error)
    #expect(blocker.kind == .peopleChanged && blocker.kind.rawValue == "people-changed")
    #expect(blocker.kind.remedy.contains("confirm(safetyNumber:with:)"))
    #expect(MirrorReaction(to: .peopleChanged) == .holdExport)
    #expect(!MirrorError.Kind.peopleChanged.concernsEverything)
    #expect(MirrorError(CKError(.permissionFailure)).kind == .permission)
  }

  @Test func `Undelivered keys are reported as missing, not as a permission error`() {
    let awaited = ["ParhelionKeysAwaited": NSNumber(value: true)]
    #expect(MirrorError(CKError(.permissionFailure, userInfo: awaited)).kind == .keysMissing)
  }

  @Test func `A confirmation sends the held-back changes`() {
    var transcript = Transcript()
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.machine.end(
      MirrorOutcome(blockers: [MirrorError(error)]), at: transcript.now, chance: 1)
    #expect(transcript.next() == nil)
    transcript.note(.keysArrived)
    #expect(transcript.runAll().contains(.exporting))
  }

  @Test func `A confirmation during an export sends the changes that the export holds back`() {
    var transcript = Transcript()
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.note(.keysArrived)
    transcript.machine.end(
      MirrorOutcome(blockers: [MirrorError(error)]), at: transcript.now, chance: 1)
    #expect(transcript.machine.sending.includesRefused)
    #expect(transcript.runAll() == [.exporting])
  }

  @Test func `A confirmation during an import that could not read records starts another one`() {
    var transcript = Transcript()
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.push)
    #expect(transcript.next() == .importing)
    transcript.note(.keysArrived)
    transcript.machine.end(
      MirrorOutcome(blockers: [MirrorError(error)]), at: transcript.now, chance: 1)
    #expect(transcript.runAll() == [.importing])
  }
}
