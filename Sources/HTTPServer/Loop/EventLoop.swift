internal import CHTTPSystem
private import Glibc
internal import Synchronization

/// A thread that waits only for descriptors, deadlines and jobs.
///
/// The loop is a serial executor and a task executor. Connections are actors on it and handlers are
/// tasks on it, so one thread reads, answers and writes a request. Blocking work (databases, files)
/// belongs on other threads.
///
///     poll ──▶ ready descriptors ──▶ due deadlines ──▶ enqueued jobs ──▶ poll
///
/// Unchecked: a lock guards `inbox`, and only the loop's thread uses the other state. Most methods
/// check that.
@safe final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  /// Work that other threads submit.
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var isSignalled = false
    var isStopping = false
  }

  /// A watched descriptor.
  struct Slot {
    let observer: any EventObserver
    let generation: UInt32
    /// The time at which the observer wants to be called.
    var deadline: Int64?
    /// The time of the earliest entry for this slot in the queue, which may be before `deadline`.
    var queued: Int64?
  }

  private let poller: Poller
  private let wakeUp: WakeUp
  private let inbox = Mutex(Inbox())
  private let thread = Atomic<UInt>(0)

  // Used only by the loop's thread.
  private var jobs: [UnownedJob] = []
  private var slots: [Slot?] = []
  private var deadlines = DeadlineQueue()
  private var generation: UInt32 = 0
  private var readyAgain: [UInt64] = []
  private var isStopping = false
  /// The number of tasks on this thread, which could never resume if the thread ended.
  private var runningTasks = 0
  private var ready: [parhelion_ready]
  private var time = MonotonicTime.now()
  private var requestIDs: HTTPRequestIDs
  private var dateSecond = -1
  private var dateLine: [UInt8] = []
  /// The buffer into which all connections read.
  let readBuffer: UnsafeMutableBufferPointer<UInt8>

  init() throws(HTTPServerError) {
    poller = try Poller()
    wakeUp = try WakeUp()
    unsafe readBuffer = .allocate(capacity: Limits.readBytes)
    ready = Array(repeating: parhelion_ready(token: 0, events: 0), count: Limits.readyDescriptors)
    var random = SystemRandomNumberGenerator()
    requestIDs = HTTPRequestIDs(using: &random)
    try poller.add(wakeUp.descriptor, .input, token: .max)
  }

  deinit { unsafe readBuffer.deallocate() }

  // MARK: - Jobs

  /// Whether the caller runs on the loop's thread.
  var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      jobs.append(job)
    } else {
      post { $0.jobs.append(job) }
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }
  func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

  func checkIsolated() { requireCurrent() }
  func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Registers a task on this thread.
  ///
  /// The thread does not end before the task does.
  func taskBegan() {
    requireCurrent()
    runningTasks += 1
  }

  func taskEnded() {
    requireCurrent()
    runningTasks -= 1
  }

  /// Ends the thread after its current turn and the tasks on it.
  func stop() { post { $0.isStopping = true } }

  /// Adds to the inbox.
  ///
  /// The first addition in a turn wakes the thread.
  private func post(_ change: (inout Inbox) -> Void) {
    let mustSignal = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if mustSignal { wakeUp.signal() }
  }

  private func emptyInbox() {
    wakeUp.clear()
    inbox.withLock { inbox in
      inbox.isSignalled = false
      jobs.append(contentsOf: inbox.jobs)
      inbox.jobs.removeAll(keepingCapacity: true)
      isStopping = inbox.isStopping
    }
  }

  private func requireCurrent() {
    precondition(isCurrent, "Only the loop's own thread may touch its connections.")
  }

  // MARK: - The thread

  /// Runs the loop on the calling thread until `stop`.
  func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    while !isStopping || runningTasks > 0 {
      pollOnce()
      fireDeadlines()
      runJobs()
    }
    emptyInbox()
    while !jobs.isEmpty { runJobs() }
    thread.store(0, ordering: .relaxed)
  }

  private func pollOnce() {
    let count = poller.wait(into: &ready, milliseconds: timeout)
    time = MonotonicTime.now()
    for index in 0..<count {
      let entry = ready[index]
      if entry.token == .max {
        emptyInbox()
      } else {
        notify(entry.token, Poller.Events(rawValue: entry.events))
      }
    }
    let again = readyAgain
    readyAgain = []
    for token in again { notify(token, .input) }
  }

  /// The milliseconds to wait: 0 while there is work, and −1 without a deadline.
  ///
  /// They are rounded up, so that no deadline is checked too early.
  private var timeout: CInt {
    guard jobs.isEmpty, readyAgain.isEmpty else { return 0 }
    guard let next = deadlines.next else { return -1 }
    let milliseconds = (next - MonotonicTime.now() + 999_999) / 1_000_000
    return CInt(clamping: max(0, milliseconds))
  }

  private func notify(_ token: UInt64, _ events: Poller.Events) {
    slot(of: token)?.observer.ready(events)
  }

  private func fireDeadlines() {
    while let entry = deadlines.take(until: time) {
      guard var slot = slot(of: entry.token), slot.queued == entry.time else { continue }
      slot.queued = nil
      let isDue = slot.deadline.map { $0 <= time } ?? false
      if isDue { slot.deadline = nil }
      slots[descriptor(of: entry.token)] = slot
      if isDue {
        slot.observer.deadlineReached()
      } else if let later = slot.deadline {
        queue(later, descriptor: descriptor(of: entry.token))
      }
    }
  }

  /// Runs the present jobs.
  ///
  /// Jobs that they enqueue run after the next poll.
  private func runJobs() {
    guard !jobs.isEmpty else { return }
    let turn = jobs
    jobs = []
    for job in turn {
      unsafe job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  // MARK: - Descriptors (on the thread only)

  /// Starts to watch a descriptor, and keeps its observer alive.
  func watch(_ descriptor: CInt, _ events: Poller.Events, _ observer: any EventObserver)
    throws(HTTPServerError)
  {
    requireCurrent()
    generation &+= 1
    // The highest token belongs to the wake-up descriptor.
    if generation == .max { generation = 1 }
    while slots.count <= descriptor { slots.append(nil) }
    try poller.add(descriptor, events, token: token(descriptor, generation))
    slots[Int(descriptor)] = Slot(observer: observer, generation: generation)
  }

  /// Changes the events for which a descriptor is watched.
  func change(_ descriptor: CInt, _ events: Poller.Events) {
    requireCurrent()
    guard let slot = slots[Int(descriptor)] else { return }
    poller.change(descriptor, events, token: token(descriptor, slot.generation))
  }

  /// Stops watching a descriptor.
  func forget(_ descriptor: CInt) {
    requireCurrent()
    poller.remove(descriptor)
    slots[Int(descriptor)] = nil
  }

  /// Sets or clears the deadline of a descriptor's observer.
  ///
  /// Moving a deadline to a later time costs nothing.
  func setDeadline(_ descriptor: CInt, _ deadline: Int64?) {
    requireCurrent()
    guard let queued = slots[Int(descriptor)]?.queued else {
      slots[Int(descriptor)]?.deadline = deadline
      if let deadline { queue(deadline, descriptor: Int(descriptor)) }
      return
    }
    slots[Int(descriptor)]?.deadline = deadline
    if let deadline, deadline < queued { queue(deadline, descriptor: Int(descriptor)) }
  }

  /// Notifies an observer of input without a new event, for bytes that TLS has already buffered.
  ///
  /// The notification comes after those of all ready descriptors.
  func repeatInput(_ descriptor: CInt) {
    requireCurrent()
    guard let slot = slots[Int(descriptor)] else { return }
    readyAgain.append(token(descriptor, slot.generation))
  }

  /// All observers.
  var observers: [any EventObserver] {
    requireCurrent()
    return slots.compactMap { $0?.observer }
  }

  /// The time at the beginning of the turn.
  var now: Int64 { time }

  /// Returns the values that the server adds to the next response.
  ///
  /// The date is formatted once a second.
  func stamp(_ id: HTTPRequestID?) -> ResponseStamp {
    let second = MonotonicTime.secondsSince1970()
    if second != dateSecond {
      dateSecond = second
      dateLine = HTTPDate.line(secondsSince1970: second)
    }
    return ResponseStamp(dateLine: dateLine, requestID: id)
  }

  func takeRequestID() -> HTTPRequestID {
    requireCurrent()
    return requestIDs.take()
  }

  private func queue(_ time: Int64, descriptor: Int) {
    guard let slot = slots[descriptor] else { return }
    slots[descriptor]?.queued = time
    deadlines.insert(time, token: token(CInt(descriptor), slot.generation))
  }

  private func slot(of token: UInt64) -> Slot? {
    let descriptor = descriptor(of: token)
    guard descriptor < slots.count, let slot = slots[descriptor], slot.generation == token >> 32
    else { return nil }
    return slot
  }

  private func token(_ descriptor: CInt, _ generation: UInt32) -> UInt64 {
    UInt64(generation) << 32 | UInt64(UInt32(descriptor))
  }

  private func descriptor(of token: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: token)) }
}
