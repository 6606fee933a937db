import Foundation
import ManagedObjectModel
import ObjectRows

/// Executes an asynchronous fetch.
///
/// ```
/// context's queue ── plan ─┐         ┌─ make the results ── completion block
/// its own queue            └─ read ──┘
/// ```
///
/// If the context was saved, merged, reset or refreshed during the read, the rows may be older than
/// the context's objects. The fetch then reads again. After `Limits.readsOutsideOfQueue` reads, it
/// reads on the context's queue.
// Sendable: one of the two queues at a time uses it.
final class AsynchronousFetch<ResultType>: @unchecked Sendable {
  private let result: NSAsynchronousFetchResult<ResultType>
  private let specification: FetchSpecification
  private let limitedToStores: [AnyObject]?
  private let queue: any BlockQueue
  private var remainingReads = Limits.readsOutsideOfQueue
  private var plan: FetchPlan?
  private var answer: Result<FetchAnswer, any Error>?

  private var context: NSManagedObjectContext { result.managedObjectContext }
  private var progress: FetchProgress { result.fetchProgress }

  init(_ result: NSAsynchronousFetchResult<ResultType>) {
    self.result = result
    let request = result.fetchRequest.fetchRequest
    specification = request.specification
    limitedToStores = request.limitedToStores
    queue = result.managedObjectContext.dependencies.scheduler.blockQueue(
      label: "asynchronous fetch")
  }

  func begin() { context.performLater { self.attempt { try self.read() } } }

  /// Performs a step of the fetch, unless it was cancelled.
  private func attempt(_ step: () throws -> Void) {
    do {
      try progress.requireRunning()
      try step()
    } catch {
      finish(.failure(progress.isReadCancelled ? CocoaError(.userCancelled) : error))
    }
  }

  /// Reads the stores, outside of the context's queue if that is possible.
  private func read() throws {
    var plan = try FetchPlan(specification, limitedTo: limitedToStores, in: context)
    plan.fetch.monitor = progress
    progress.restart()
    guard remainingReads > 0, let source = context.source?.detached(for: plan) else {
      return try makeResults(of: plan)
    }
    remainingReads -= 1
    let moment = context.moment
    self.plan = plan
    queue.submit { [self] in
      answer = self.plan.map { plan in
        Result { try FetchAnswer(plan, from: source, moment: moment) }
      }
      context.performLater { [self] in attempt { try takeAnswer() } }
    }
  }

  /// Makes the results on the context's queue, unless the context has changed since the read began.
  private func takeAnswer() throws {
    guard var plan, let found = try answer?.get() else { return }
    (self.plan, answer) = (nil, nil)
    plan.answer = found
    if context.moment == found.moment { try makeResults(of: plan) } else { try read() }
  }

  private func makeResults(of plan: FetchPlan) throws {
    finish(.success(try context.results(of: plan, as: ResultType.self)))
  }

  private func finish(_ outcome: Result<[ResultType], any Error>) {
    switch outcome {
    case .success(let results):
      result.finalResult = results
      progress.finish(results.count)
    case .failure(let error): result.operationError = error
    }
    result.fetchRequest.completionBlock?(result)
  }
}
