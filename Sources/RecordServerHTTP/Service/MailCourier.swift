import RecordServer
internal import Synchronization

/// Sends queued invitations, when one is added and every half minute.
final class MailCourier: Sendable {
  private let rounds: MaintenanceScheduler

  /// - Parameter server: The public address of the server, with which links begin.
  init(
    _ service: RecordService, _ sender: any MailSender, server: String,
    on executor: any TaskExecutor
  ) {
    rounds = MaintenanceScheduler(every: .seconds(30), on: executor) {
      do {
        try await MailDelivery(service.server).run { invitation in
          await sender.send(OutgoingMail(invitation, server: server))
        }
      } catch {
        if !Task.isCancelled { service.settings.report(error, nil) }
      }
    }
  }

  func wake() { rounds.wake() }

  func stop() async { await rounds.stop() }
}

/// Wakes the courier, which starts after the server that wakes it.
final class MailBell: Sendable {
  private let courier = Mutex<MailCourier?>(nil)

  func connect(_ courier: MailCourier?) { self.courier.withLock { $0 = courier } }
  func ring() { courier.withLock { $0 }?.wake() }
}
