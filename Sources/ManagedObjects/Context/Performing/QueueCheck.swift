package import ObjectRows

/// The check that contexts and their objects are used on the queues of the contexts.
///
/// It is on in debug builds. Apple's launch argument, or an environment variable of its name, decides otherwise:
/// `-com.apple.CoreData.ConcurrencyDebug 1` switches it on in every build, `0` off.
package enum QueueCheck {
  /// What is so for contexts that nobody told otherwise.
  package static let isOn: Bool = request(.ofProcess) ?? isDebugBuild

  /// What the arguments or the environment of the program say; nil where they say nothing.
  package static func request(_ launch: LaunchArguments) -> Bool? { launch.flag("ConcurrencyDebug") }

  private static var isDebugBuild: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }

  /// Stops the program and says what it did, where it belongs, and how it gets there.
  static func stop(_ what: String, _ context: NSManagedObjectContext) -> Never {
    let name = context.name.map { " “\($0)”" } ?? ""
    let remedy =
      context.concurrencyType == .mainQueueConcurrencyType
      ? "The context\(name) and its objects belong to the main queue: call it there, on the main actor, or within the context's perform(_:) or performAndWait(_:)."
      : "The context\(name) and its objects belong to a queue of the context's own: call it within the context's perform(_:) or performAndWait(_:)."
    preconditionFailure(
      "\(what) on the wrong queue. \(remedy) (The launch argument -com.apple.CoreData.ConcurrencyDebug 0 switches this check off.)"
    )
  }
}
