import Foundation
@_spi(SwiftCorelibsFoundation) import FoundationEssentials

/// A notification whose contents are made when a first observer receives it.
///
/// The sets of a large save cost more than the rest of the object graph's work, and most programs
/// do not observe them. Foundation casts what is posted to `Notification`, which reads `userInfo`
/// in the posting thread, and casts nothing if there is no observer.
final class LazyNotification: NSNotification {
  private let contents: () -> [AnyHashable: Any]
  private lazy var made = contents()

  /// Creates a notification.
  ///
  /// - Parameter contents: Makes the contents, at most once.
  init(
    _ name: Notification.Name, _ sender: AnyObject,
    _ contents: @escaping () -> [AnyHashable: Any]
  ) {
    self.contents = contents
    super.init(name: name, object: sender)
  }

  @available(*, unavailable)
  required convenience init?(coder: NSCoder) { nil }

  override var userInfo: [AnyHashable: Any]? { made }

  /// Posts the notification to the default center.
  func post() {
    NotificationCenter.default._post(name.rawValue, subject: object, message: self)
  }
}

/// Objects as a set that is made when it is first needed.
///
/// The notifications of an event and of the save after it share it.
final class ObjectSet {
  let objects: ContiguousArray<NSManagedObject>
  private(set) lazy var set = objects.heldSet()

  init(_ objects: ContiguousArray<NSManagedObject>) { self.objects = objects }
}
