package import ObjectRows

/// Checks that contexts and their objects are used on the queues of the contexts.
///
/// The check is off by default. A program enables it with Apple's launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1`, or the older `-com.apple.CoreData.ThreadingDebug 1` to
/// `3`. An environment variable or a user default of the same name has the same effect.
package enum QueueCheck {
  /// Whether contexts of this process check, unless their dependencies override it.
  package static let isOn = isOn(.ofProcess)

  /// Whether the arguments or the environment of a program enable the check.
  package static func isOn(_ launch: LaunchArguments) -> Bool {
    launch.flag("ConcurrencyDebug") ?? false || launch.flag("ThreadingDebug") ?? false
  }

  /// Stops the program with a message that says what it did and how to do it on the right queue.
  static func stop(_ what: String, _ context: NSManagedObjectContext) -> Never {
    let name = context.name.map { " “\($0)”" } ?? ""
    let remedy =
      context.concurrencyType == .mainQueueConcurrencyType
      ? "The context\(name) and its objects belong to the main queue: call it there, on the main actor, or within the context's perform(_:) or performAndWait(_:)."
      : "The context\(name) and its objects belong to the context's private queue: call it within the context's perform(_:) or performAndWait(_:)."
    preconditionFailure(
      "\(what) on the wrong queue. \(remedy) (The launch argument -com.apple.CoreData.ConcurrencyDebug 1 switches this check on.)"
    )
  }
}
