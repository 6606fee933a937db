package import CloudRecords
import RecordStorage

extension RecordServer {
  /// Runs the due maintenance tasks, and seals values of former keys under the current one.
  ///
  /// Tasks erase deleted zones, purge tombstones, build indexes, and remove inactive devices. Call
  /// it when the server starts and every minute. Each transaction is short, and several servers may
  /// run it on one storage.
  ///
  /// - Returns: The number of completed tasks.
  /// - Throws: The first error. The other tasks still ran, and the failed one is retried next time.
  @discardableResult
  package func runMaintenance() async throws(CloudError) -> Int {
    var failure: CloudError?
    do throws(CloudError) { try await createSuggestedIndexes() } catch { failure = error }
    let now = dependencies.now()
    var count = 0
    var last: MaintenanceTask?
    while let task = try await next(after: last, at: now) {
      last = task
      do throws(CloudError) {
        try await perform(task, at: now)
        count += 1
      } catch {
        failure = failure ?? error
      }
    }
    do throws(CloudError) { try await sealUnderCurrentKey() } catch { failure = failure ?? error }
    do { try await engine.reserveRoom() } catch {
      if !(error is CancellationError) { dependencies.report(error) }
    }
    if let failure { throw failure }
    return count
  }

  private func next(after task: MaintenanceTask?, at now: Timestamp) async throws(CloudError)
    -> MaintenanceTask?
  {
    try await read(nil) { try MaintenanceTask.next(after: task, dueAt: now, in: $0) }
  }

  private func perform(_ task: MaintenanceTask, at now: Timestamp) async throws(CloudError) {
    switch task.kind {
    case .replaceSchema:
      try await finishReplacement(of: task.realm)
      try await write(nil) { try task.remove(in: $0) }
    case .forgetDevices: try await forgetDevices(task, at: now)
    case .forgetClients: try await forgetClients(task, at: now)
    case .eraseZone, .forgetZones, .purgeTombstones, .workOnIndexes:
      try await performInSteps(task, at: now)
    }
  }

  private func performInSteps(_ task: MaintenanceTask, at now: Timestamp) async throws(CloudError) {
    let limits = limits
    var isDone = false
    while !isDone {
      let removedParticipants: Set<String>
      (isDone, removedParticipants) = try await write(nil) { transaction in
        let work = ZoneMaintenanceTask(task, limits, now, transaction)
        let isDone = try work.step()
        if isDone { try task.remove(in: transaction) }
        return (isDone, work.removedParticipants)
      }
      if !removedParticipants.isEmpty { try await notify(removedParticipants, of: task) }
    }
  }

  /// Notifies the participants of a zone's shares that the zone was deleted.
  private func notify(_ users: Set<String>, of task: MaintenanceTask) async throws(CloudError) {
    let zone = try await read(task.owner) { transaction in
      try ZoneDirectory(database: task.database).zone(task.zone, in: transaction)
    }
    guard let zone, let address = try await address(of: task.realm) else { return }
    let call = Call(container: address, realm: task.realm, scope: .private, caller: .anonymous)
    let identifier = RecordZoneIdentifier(zoneName: zone.name, ownerName: task.owner)
    var notice = ZoneNotice(
      call, zone: identifier, positions: zone.lastPosition..<zone.lastPosition, zoneShareName: nil,
      events: [])
    notice.removedParticipants = users
    listener?.zonesChanged([notice])
  }

  /// Removes the clients that were inactive for too long, and schedules the next check.
  private func forgetClients(_ task: MaintenanceTask, at now: Timestamp) async throws(CloudError) {
    let clients = RequestClients(database: task.database)
    var (last, oldest): (StorageKey?, Timestamp?) = (nil, nil)
    repeat {
      let from = last
      let step = try await write(task.owner) { try clients.sweep(after: from, at: now, in: $0) }
      last = step.last
      oldest = [oldest, step.oldest].compactMap(\.self).min()
    } while last != nil
    let first = oldest
    try await write(nil) { transaction in
      try task.remove(in: transaction)
      // Clients that arrived meanwhile rely on this task.
      try clients.scheduleSweep(first, at: now, in: transaction)
    }
  }

  /// Removes a user's devices that were inactive for too long.
  private func forgetDevices(_ task: MaintenanceTask, at now: Timestamp) async throws(CloudError) {
    let seconds = limits.deviceSeconds
    let change = try await write(nil) { transaction in
      let devices = DeviceStore(realm: task.realm, user: task.owner)
      let change = try devices.forget(silentFor: seconds, at: now, in: transaction)
      try task.remove(in: transaction)
      return change
    }
    listener?.listeningChanged(change)
  }
}
