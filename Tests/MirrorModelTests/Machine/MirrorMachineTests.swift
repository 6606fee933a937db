import Foundation
import MirrorModel
import TestSupport
import Testing

@Suite("The next step of a mirrored store")
struct MirrorMachineTests {
  func started() -> Transcript {
    var transcript = Transcript()
    transcript.note(.start)
    _ = transcript.runAll()
    return transcript
  }

  @Test func `A store without notifications polls periodically`() {
    var transcript = started()
    transcript.note(.silence(MirrorError(.notListening, "The connection is broken.")))
    #expect(
      transcript.machine.alarm(at: transcript.now) == transcript.now + MirrorLimits.silenceSeconds)
    for _ in 0..<2 {
      transcript.wait(MirrorLimits.silentPollSeconds - 1)
      #expect(transcript.runAll().isEmpty)
      transcript.wait(1)
      #expect(transcript.runAll() == [.importing])
    }
    transcript.note(.listening)
    #expect(transcript.runAll() == [.importing])
    #expect(transcript.machine.alarm(at: transcript.now) == nil)
  }

  @Test func `A store sets up, imports, exports, and rests`() {
    var transcript = Transcript()
    #expect(transcript.phase == .stopped)
    #expect(transcript.next() == nil)
    transcript.note(.start)
    #expect(transcript.phase == .due)
    #expect(transcript.runAll() == [.setUp, .importing, .exporting])
    #expect(transcript.phase == .idle)
    #expect(transcript.machine.alarm(at: transcript.now) == nil)
  }

  @Test func `A save exports, a push imports, and a request from the program does both`() {
    var transcript = started()
    transcript.note(.saved)
    #expect(transcript.runAll() == [.exporting])
    transcript.note(.push)
    #expect(transcript.runAll() == [.importing])
    transcript.note(.asked)
    #expect(transcript.runAll() == [.importing, .exporting])
  }

  @Test func `A save during an export is exported by the next one`() {
    var transcript = started()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.note(.saved)
    #expect(transcript.next() == nil)
    transcript.end()
    #expect(transcript.next() == .exporting)
  }

  /// A machine that debounces, during an export and after another save.
  func debouncing() -> Transcript {
    var transcript = Transcript(debouncesSaves: true)
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.note(.saved)
    return transcript
  }

  private static let (quiet, longest) = (
    MirrorLimits.debounceQuietSeconds, MirrorLimits.debounceLimitSeconds
  )

  @Test func `Frequent saves are exported together once they pause`() {
    var transcript = debouncing()
    for _ in 0..<4 {
      transcript.now += Self.quiet / 2
      transcript.note(.saved)
    }
    transcript.end(moved: true)
    #expect(transcript.next() == nil)
    let until = transcript.now + Self.quiet
    #expect(transcript.phase == .waiting(until: until))
    #expect(transcript.machine.alarm(at: transcript.now) == until)
    transcript.wait(Self.quiet)
    #expect(transcript.runAll() == [.exporting])
    #expect(transcript.phase == .idle)
    transcript.note(.saved)
    #expect(transcript.runAll() == [.exporting], "A single save is exported at once")
  }

  @Test func `A save during an export is exported next at once if it comes alone`() {
    var transcript = Transcript(debouncesSaves: true)
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.now += Self.quiet
    transcript.note(.saved)
    transcript.end(moved: true)
    #expect(transcript.next() == .exporting)
    transcript.now += Self.quiet / 2
    transcript.note(.saved)
    transcript.end(moved: true)
    #expect(transcript.next() == nil, "Saves in quick succession are debounced.")
  }

  @Test func `Saves without a pause are debounced for a limited time`() {
    var transcript = debouncing()
    let end = transcript.now + Self.longest
    transcript.end(moved: true)
    while transcript.now + Self.quiet / 2 < end {
      #expect(transcript.next() == nil)
      transcript.wait(Self.quiet / 2)
      transcript.note(.saved)
    }
    #expect(transcript.phase == .waiting(until: end))
    transcript.wait(Self.quiet / 2)
    #expect(transcript.next() == .exporting)
  }

  @Test func `A save during a debounce starts no timer of its own`() {
    var transcript = debouncing()
    transcript.end(moved: true)
    let alarm = transcript.machine.alarm(at: transcript.now)
    #expect(alarm == transcript.now + Self.quiet)
    transcript.now += Self.quiet / 2
    transcript.note(.saved)
    #expect(transcript.machine.alarm(at: transcript.now) == alarm)
    // The timer fires early: another save has arrived.
    let until = transcript.now + Self.quiet
    transcript.wait(Self.quiet / 2)
    #expect(transcript.next() == nil)
    #expect(transcript.machine.alarm(at: transcript.now) == until)
    transcript.wait(Self.quiet / 2)
    #expect(transcript.next() == .exporting)
  }

  @Test
  func `An export that outlasts the debounce is followed by the next one at once`() {
    var transcript = debouncing()
    transcript.now += MirrorLimits.debounceLimitSeconds
    transcript.end(moved: true)
    #expect(transcript.next() == .exporting)
  }

  @Test func `During a debounce imports continue, and a request from the program does not wait`() {
    var transcript = debouncing()
    transcript.end(moved: true)
    transcript.note(.push)
    #expect(transcript.runAll() == [.importing])
    transcript.note(.asked)
    #expect(transcript.runAll() == [.importing, .exporting])
  }

  @Test func `Unsent changes that are found during an export start no debounce`() {
    var transcript = Transcript(debouncesSaves: true)
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.note(.unsentFound)
    transcript.end(moved: true)
    #expect(transcript.next() == .exporting)
  }

  @Test func `A request from the program does not wait for an import if nothing may be sent`() {
    var transcript = started()
    transcript.note(.saved)
    transcript.note(.asked)
    #expect(transcript.next() == .importing)
    transcript.end()
    #expect(transcript.next() == .exporting)
    transcript.note(.push)
    transcript.end(.quotaExceeded)
    transcript.machine.includeLaterSaves(at: transcript.now)
    #expect(transcript.phase == .due, "Other devices' changes are imported later.")
    #expect(!transcript.machine.hasCallerWork(at: transcript.now))
  }

  @Test func `Debounced or later saves do not delay a request from the program`() {
    var transcript = debouncing()
    transcript.end(moved: true)
    #expect(transcript.machine.syncBlocker(at: transcript.now) == nil)
    transcript.machine.includeLaterSaves(at: transcript.now)
    #expect(transcript.machine.hasCallerWork(at: transcript.now))
    #expect(transcript.runAll() == [.exporting])
    transcript.machine.includeLaterSaves(at: transcript.now)
    #expect(!transcript.machine.hasCallerWork(at: transcript.now))
    transcript.note(.push)
    #expect(transcript.phase == .due && transcript.machine.syncBlocker(at: transcript.now) == nil)
    _ = transcript.next()
    transcript.end(.offline)
    #expect(transcript.machine.syncBlocker(at: transcript.now)?.kind == .offline)
  }

  @Test(arguments: [MirrorError.Kind.offline, .store, .conflict, .unexpected, .cancelled])
  func `A temporary failure is retried with a growing delay`(kind: MirrorError.Kind) {
    var transcript = started()
    transcript.note(.saved)
    var waits: [Double] = []
    for _ in 0..<10 {
      #expect(transcript.next() == .exporting)
      transcript.end(kind)
      guard case .waiting(let until) = transcript.phase else {
        Issue.record("not waiting but \(transcript.phase)")
        return
      }
      waits.append(until.timeIntervalSince(transcript.now))
      #expect(transcript.next() == nil)
      transcript.wait(waits[waits.count - 1])
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
  }

  @Test(arguments: [MirrorError.Kind.throttled, .serviceUnavailable, .zoneBusy])
  func `A retry waits at least as long as the server asks`(kind: MirrorError.Kind) {
    var transcript = started()
    transcript.note(.push)
    _ = transcript.next()
    transcript.end(kind, retryAfter: 100)
    transcript.wait(99)
    #expect(transcript.next() == nil)
    transcript.wait(26)
    #expect(transcript.next() == .importing)
  }

  /// The clock was a day ahead and was corrected.
  @Test(arguments: [MirrorError.Kind.offline, .quotaExceeded])
  func `A clock that goes back does not lengthen a wait`(kind: MirrorError.Kind) {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    transcript.end(kind)
    transcript.wait(-86_400)
    #expect(transcript.next() == .exporting)
    transcript.end(.offline)
    transcript.wait(MirrorLimits.stallSeconds + 1)
    #expect(transcript.machine.isStalled(at: transcript.now))
  }

  @Test func `A clock that goes back does not stop polling of a public database`() {
    var transcript = Transcript(isPolling: true)
    transcript.note(.start)
    _ = transcript.runAll()
    transcript.wait(-86_400)
    #expect(transcript.next() == .importing)
  }

  @Test func `A returning network ends the wait`() {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    transcript.end(.offline)
    transcript.note(.networkReturned)
    #expect(transcript.next() == .exporting)
  }

  @Test
  func `A returning network does not shorten a wait that the server asked for`() {
    var transcript = started()
    transcript.note(.push)
    for _ in 0..<2 {
      _ = transcript.next()
      transcript.end(.throttled, retryAfter: 100)
      transcript.note(.networkReturned)
      transcript.wait(99)
      transcript.note(.networkReturned)
      #expect(transcript.next() == nil)
      transcript.wait(26)
    }
    // The device's own back-off is longer by now, and ends.
    for _ in 0..<8 {
      #expect(transcript.next() == .importing)
      transcript.end(.serviceUnavailable, retryAfter: 1)
      transcript.wait(1.25)
      transcript.note(.networkReturned)
    }
    #expect(transcript.next() == .importing)
  }

  @Test func `One oversized record does not shrink the requests of other records`() {
    var transcript = started()
    transcript.note(.saved)
    while transcript.machine.sending.recordsInRequest > 1 {
      #expect(transcript.next() == .exporting)
      transcript.end(.limitExceeded)
    }
    #expect(transcript.next() == .exporting)
    let rejected = MirrorError(.rejectedRecord, "It is too large.")
    transcript.machine.end(
      MirrorOutcome(blockers: [rejected], hasMoved: true), at: transcript.now, chance: 1)
    #expect(transcript.machine.sending.recordsInRequest == MirrorLimits.recordsInRequest)
  }

  @Test func `Requests that are too large are halved until they fit, and then recover`() {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    transcript.end(.limitExceeded)
    #expect(transcript.machine.sending.recordsInRequest == 100)
    #expect(transcript.next() == .exporting)
    transcript.end(.limitExceeded)
    #expect(transcript.machine.sending.recordsInRequest == 50)
    #expect(transcript.runAll() == [.exporting])
    #expect(transcript.machine.sending.recordsInRequest == 200)
  }

  @Test func `A limit that a setup exceeds is retried with a delay, and halves no request`() {
    var transcript = Transcript()
    transcript.note(.start)
    #expect(transcript.next() == .setUp)
    transcript.end(.limitExceeded)
    #expect(transcript.next() == nil)
    transcript.wait(1)
    #expect(transcript.next() == .setUp)
    #expect(transcript.machine.sending.recordsInRequest == MirrorLimits.recordsInRequest)
  }

  @Test func `If the quota is exceeded, exports pause and imports continue`() {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    transcript.end(.quotaExceeded)
    transcript.note(.saved)
    #expect(transcript.next() == nil)
    transcript.note(.push)
    #expect(transcript.runAll() == [.importing])
    #expect(transcript.machine.sending.blockers.map(\.kind) == [.quotaExceeded])
    transcript.wait(600)
    #expect(transcript.runAll() == [.exporting])
    #expect(transcript.machine.sending.blockers.isEmpty)
  }

  @Test func `A rejected record does not delay others`() {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    let failure = MirrorError(
      .schemaNotDeployed, "No such field.", recordType: "CD_Note", field: "CD_text")
    transcript.machine.end(
      MirrorOutcome(blockers: [failure], hasMoved: true), at: transcript.now, chance: 1)
    #expect(transcript.next() == nil)
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    #expect(!transcript.machine.sending.includesRefused)
    transcript.machine.end(MirrorOutcome(blockers: [failure]), at: transcript.now, chance: 1)
    transcript.wait(600)
    #expect(transcript.machine.sending.includesRefused)
    #expect(transcript.next() == .exporting)
  }

  @Test func `A new schema ends the wait of changes that the former schema rejected`() {
    var transcript = started()
    let failure = MirrorError(
      .schemaNotDeployed, "No such field.", recordType: "CD_Note", field: "CD_text")
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.machine.end(MirrorOutcome(blockers: [failure]), at: transcript.now, chance: 1)
    #expect(transcript.next() == nil)
    transcript.note(.schemaChanged)
    #expect(transcript.machine.sending.includesRefused)
    #expect(transcript.runAll() == [.exporting])
    // Nothing is rejected any more, so another change of the schema starts no export.
    transcript.note(.schemaChanged)
    #expect(transcript.runAll().isEmpty)
  }

  @Test func `A schema change during an export ends the wait as well`() {
    var transcript = started()
    let failure = MirrorError(
      .schemaNotDeployed, "No such field.", recordType: "CD_Note", field: "CD_text")
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    transcript.note(.schemaChanged)
    transcript.machine.end(MirrorOutcome(blockers: [failure]), at: transcript.now, chance: 1)
    #expect(transcript.next() == .exporting)
    transcript.machine.end(MirrorOutcome(blockers: [failure]), at: transcript.now, chance: 1)
    #expect(transcript.next() == nil)
  }

  @Test func `New keys start no export if nothing waits for them`() {
    var transcript = started()
    transcript.note(.keysArrived)
    #expect(transcript.runAll().isEmpty)
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    let rejected = MirrorError(.rejectedRecord, "It is too large.")
    transcript.machine.end(MirrorOutcome(blockers: [rejected]), at: transcript.now, chance: 1)
    transcript.note(.keysArrived)
    #expect(transcript.next() == nil)
  }

  @Test func `An export with more to send is not delayed by rejected changes`() {
    var transcript = started()
    transcript.note(.saved)
    #expect(transcript.next() == .exporting)
    let rejected = MirrorError(.rejectedRecord, "It is too large.")
    transcript.machine.end(
      MirrorOutcome(blockers: [rejected], hasMoved: true, hasMore: true), at: transcript.now,
      chance: 1)
    #expect(transcript.next() == .exporting)
  }

  @Test func `A single oversized record waits, and requests do not shrink further`() {
    var transcript = started()
    transcript.note(.saved)
    while transcript.machine.sending.recordsInRequest > 1 {
      #expect(transcript.next() == .exporting)
      transcript.end(.limitExceeded)
    }
    let (halvings, bytes) = (
      transcript.machine.sending.halvings, transcript.machine.sending.bytesInRequest
    )
    #expect(transcript.next() == .exporting)
    transcript.end(.limitExceeded)
    #expect(transcript.machine.sending.halvings == halvings)
    #expect(transcript.machine.sending.bytesInRequest == bytes)
    #expect(transcript.next() == nil)
    transcript.wait(1)
    #expect(transcript.next() == .exporting)
  }

  @Test func `An expired token is dropped, and everything is fetched again`() {
    var transcript = started()
    transcript.note(.push)
    _ = transcript.next()
    transcript.end(.tokenExpired)
    #expect(transcript.runAll() == [.reset(.tokens), .importing, .exporting])
  }

  @Test func `A reset that does not help backs off`() {
    var transcript = started()
    transcript.note(.push)
    _ = transcript.next()
    transcript.end(.tokenExpired)
    #expect(transcript.next() == .reset(.tokens))
    transcript.end()
    #expect(transcript.next() == .importing)
    transcript.end(.tokenExpired)
    #expect(transcript.next() == nil)
    transcript.wait(1)
    #expect(transcript.next() == .reset(.tokens))
  }

  @Test(arguments: [
    (MirrorError.Kind.zoneMissing, MirrorStep.Reset.zone), (.encryptedDataReset, .encryptedData),
  ])
  func `A missing zone is created again, and everything is sent`(
    kind: MirrorError.Kind, reset: MirrorStep.Reset
  ) {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    transcript.end(kind)
    #expect(transcript.runAll() == [.reset(reset), .setUp, .importing, .exporting])
  }

  @Test func `Data that the user deleted in the cloud waits for the program's decision`() {
    var transcript = started()
    transcript.note(.push)
    _ = transcript.next()
    transcript.end(.zoneDeletedByUser)
    for trigger in [MirrorMachine.Trigger.saved, .networkReturned, .accountChanged, .start] {
      transcript.note(trigger)
      #expect(transcript.next() == nil)
    }
    guard case .blocked(let failure) = transcript.phase else {
      Issue.record("not blocked but \(transcript.phase)")
      return
    }
    #expect(failure.kind == .zoneDeletedByUser)
    var other = transcript
    transcript.note(.decided(uploadAgain: false))
    #expect(transcript.runAll() == [.reset(.objects), .setUp, .importing, .exporting])
    other.note(.decided(uploadAgain: true))
    #expect(other.runAll() == [.reset(.zone), .setUp, .importing, .exporting])
  }

  @Test(arguments: [MirrorMachine.Trigger.push, .asked, .listening])
  func `Another device's decision is looked up before anything is sent`(
    trigger: MirrorMachine.Trigger
  ) {
    var transcript = started()
    transcript.note(.push)
    _ = transcript.next()
    transcript.end(.zoneDeletedByUser)
    transcript.note(.saved)
    for failure in [MirrorError.Kind.zoneDeletedByUser, .offline, .zoneDeletedByUser] {
      transcript.note(trigger)
      #expect(transcript.next() == .importing)
      transcript.end(failure)
      // Offline the machine retries after a while, and still nothing is sent.
      if failure == .offline { transcript.wait(1) }
      #expect(transcript.next() == (failure == .offline ? .importing : nil))
      if failure == .offline { transcript.end(.zoneDeletedByUser) }
      #expect(transcript.machine.blocker(at: transcript.now)?.kind == .zoneDeletedByUser)
    }
    transcript.note(trigger)
    #expect(transcript.runAll() == [.importing, .exporting])
    #expect(transcript.phase == .idle && transcript.machine.blocker(at: transcript.now) == nil)
  }

  @Test func `A decision that arrives during the lookup is kept`() {
    var transcript = started()
    transcript.note(.push)
    _ = transcript.next()
    transcript.end(.zoneDeletedByUser)
    transcript.note(.push)
    #expect(transcript.next() == .importing)
    transcript.note(.decided(uploadAgain: true))
    transcript.end(.zoneDeletedByUser)
    #expect(transcript.runAll() == [.reset(.zone), .setUp, .importing, .exporting])
  }

  @Test(arguments: [MirrorError.Kind.noAccount, .signInAgain, .accountChanged, .notConfigured])
  func `Without an account everything stops, and it continues when the account returns`(
    kind: MirrorError.Kind
  ) {
    var transcript = Transcript()
    transcript.note(.start)
    #expect(transcript.next() == .setUp)
    transcript.end(kind)
    transcript.note(.saved)
    transcript.wait(10_000)
    #expect(transcript.next() == nil)
    transcript.note(.accountChanged)
    #expect(transcript.runAll() == [.setUp, .importing, .exporting])
  }

  @Test func `An account change during setup restarts setup`() {
    var transcript = Transcript()
    transcript.note(.start)
    #expect(transcript.next() == .setUp)
    transcript.note(.accountChanged)
    transcript.end()
    #expect(transcript.next() == .setUp)
    transcript.end()
    #expect(transcript.next() == .importing)
  }

  @Test func `A pause stops everything, and saves are exported after it`() {
    var transcript = started()
    transcript.note(.pause)
    transcript.note(.saved)
    #expect(transcript.next() == nil)
    #expect(transcript.phase == .paused)
    transcript.note(.resume)
    #expect(transcript.runAll() == [.importing, .exporting])
  }

  @Test func `A public database is polled repeatedly`() {
    var transcript = Transcript(isPolling: true)
    transcript.note(.start)
    _ = transcript.runAll()
    #expect(
      transcript.machine.alarm(at: transcript.now) == transcript.now.addingTimeInterval(1_800))
    transcript.wait(1_800)
    #expect(transcript.runAll() == [.importing])
  }

  @Test func `Ten minutes without progress are a stall, and one step ends it`() {
    var transcript = started()
    transcript.note(.saved)
    _ = transcript.next()
    transcript.end(.offline)
    transcript.wait(599)
    #expect(!transcript.machine.isStalled(at: transcript.now))
    transcript.wait(1)
    #expect(transcript.machine.isStalled(at: transcript.now))
    _ = transcript.runAll()
    #expect(!transcript.machine.isStalled(at: transcript.now))
  }

  @Test func `Every kind of failure has a remedy`() {
    for kind in MirrorError.Kind.allCases { #expect(!kind.remedy.isEmpty, "\(kind)") }
  }

  /// One step runs at a time, whatever happens, and the machine is idle once everything succeeds.
  @Test func `After random events, steps that succeed make the machine idle`() {
    for seed in 1...200 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var transcript = started()
      for _ in 0..<100 { disturb(&transcript, &generator) }
      if transcript.machine.running != nil { transcript.end() }
      transcript.note(.decided(uploadAgain: Bool.random(using: &generator)))
      transcript.note(.resume)
      transcript.note(.accountChanged)
      var steps = 0
      while transcript.next() != nil, steps < 100 {
        transcript.end()
        steps += 1
      }
      #expect(transcript.phase == .idle, "seed \(seed)")
    }
  }

  private func disturb(_ transcript: inout Transcript, _ generator: inout SeededGenerator) {
    let triggers: [MirrorMachine.Trigger] = [
      .saved, .push, .networkReturned, .accountChanged, .timer, .pause, .resume, .asked,
    ]
    // Nothing lifts the block of a store that was removed or is in use elsewhere.
    let kinds = MirrorError.Kind.allCases.filter { MirrorReaction(to: $0) != .block(until: .never) }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: transcript.note(triggers.randomElement(using: &generator) ?? .saved)
    case 1:
      let isRunning = transcript.machine.running != nil
      if transcript.next() != nil { #expect(!isRunning) }
    case 2:
      transcript.end(Bool.random(using: &generator) ? kinds.randomElement(using: &generator) : nil)
    default: transcript.wait(Double.random(in: 0...400, using: &generator))
    }
  }
}
