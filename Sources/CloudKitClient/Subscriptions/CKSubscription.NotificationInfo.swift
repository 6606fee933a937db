public import Foundation
import Synchronization

extension CKSubscription {
  /// The contents of a subscription's notifications.
  public typealias NotificationInfo = CKSubscriptionNotificationInfo
}

// Sendable: mutable values are under the lock.
/// The contents of a subscription's notifications; also available as
/// `CKSubscription.NotificationInfo`.
///
/// Set at least a text, a sound, a badge, or `shouldSendContentAvailable`.
public final class CKSubscriptionNotificationInfo: NSObject, NSCopying, NSSecureCoding, Sendable {
  struct Content: Codable, Equatable, Sendable {
    var alertBody: String?
    var alertLocalizationKey: String?
    var alertLocalizationArgs: [CKRecord.FieldKey]?
    var title: String?
    var titleLocalizationKey: String?
    var titleLocalizationArgs: [CKRecord.FieldKey]?
    var subtitle: String?
    var subtitleLocalizationKey: String?
    var subtitleLocalizationArgs: [CKRecord.FieldKey]?
    var alertActionLocalizationKey: String?
    var alertLaunchImage: String?
    var soundName: String?
    var desiredKeys: [CKRecord.FieldKey]?
    var shouldBadge = false
    var shouldSendContentAvailable = false
    var shouldSendMutableContent = false
    var category: String?
    var collapseIDKey: CKRecord.FieldKey?
  }

  private let state: Mutex<Content>

  /// Creates empty notification contents.
  public override convenience init() {
    self.init(Content())
  }

  /// Creates notification contents.
  public convenience init(
    alertBody: String? = nil, alertLocalizationKey: String? = nil,
    alertLocalizationArgs: [CKRecord.FieldKey] = [],
    title: String? = nil, titleLocalizationKey: String? = nil,
    titleLocalizationArgs: [CKRecord.FieldKey] = [],
    subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
    subtitleLocalizationArgs: [CKRecord.FieldKey] = [], alertActionLocalizationKey: String? = nil,
    alertLaunchImage: String? = nil, soundName: String? = nil,
    desiredKeys: [CKRecord.FieldKey] = [],
    shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false,
    shouldSendMutableContent: Bool = false,
    category: String? = nil, collapseIDKey: CKRecord.FieldKey? = nil
  ) {
    func some(_ keys: [CKRecord.FieldKey]) -> [CKRecord.FieldKey]? { keys.isEmpty ? nil : keys }
    self.init(
      Content(
        alertBody: alertBody, alertLocalizationKey: alertLocalizationKey,
        alertLocalizationArgs: some(alertLocalizationArgs), title: title,
        titleLocalizationKey: titleLocalizationKey,
        titleLocalizationArgs: some(titleLocalizationArgs), subtitle: subtitle,
        subtitleLocalizationKey: subtitleLocalizationKey,
        subtitleLocalizationArgs: some(subtitleLocalizationArgs),
        alertActionLocalizationKey: alertActionLocalizationKey, alertLaunchImage: alertLaunchImage,
        soundName: soundName, desiredKeys: some(desiredKeys), shouldBadge: shouldBadge,
        shouldSendContentAvailable: shouldSendContentAvailable,
        shouldSendMutableContent: shouldSendMutableContent,
        category: category, collapseIDKey: collapseIDKey))
  }

  init(_ content: Content) {
    state = Mutex(content)
  }

  var content: Content { state.withLock { $0 } }

  private func set<Value: Sendable>(
    _ path: any WritableKeyPath<Content, Value> & Sendable, _ value: Value
  ) {
    state.withLock { $0[keyPath: path] = value }
  }

  // MARK: Alert

  /// The alert's text.
  public var alertBody: String? {
    get { content.alertBody }
    set { set(\.alertBody, newValue) }
  }

  /// The localization key of the alert's text.
  public var alertLocalizationKey: String? {
    get { content.alertLocalizationKey }
    set { set(\.alertLocalizationKey, newValue) }
  }

  /// The fields whose values are the arguments of the localized text.
  public var alertLocalizationArgs: [CKRecord.FieldKey]? {
    get { content.alertLocalizationArgs }
    set { set(\.alertLocalizationArgs, newValue) }
  }

  /// The alert's title.
  public var title: String? {
    get { content.title }
    set { set(\.title, newValue) }
  }

  /// The localization key of the title.
  public var titleLocalizationKey: String? {
    get { content.titleLocalizationKey }
    set { set(\.titleLocalizationKey, newValue) }
  }

  /// The fields whose values are the arguments of the localized title.
  public var titleLocalizationArgs: [CKRecord.FieldKey]? {
    get { content.titleLocalizationArgs }
    set { set(\.titleLocalizationArgs, newValue) }
  }

  /// The alert's subtitle.
  public var subtitle: String? {
    get { content.subtitle }
    set { set(\.subtitle, newValue) }
  }

  /// The localization key of the subtitle.
  public var subtitleLocalizationKey: String? {
    get { content.subtitleLocalizationKey }
    set { set(\.subtitleLocalizationKey, newValue) }
  }

  /// The fields whose values are the arguments of the localized subtitle.
  public var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
    get { content.subtitleLocalizationArgs }
    set { set(\.subtitleLocalizationArgs, newValue) }
  }

  /// The localization key of the action button's title.
  public var alertActionLocalizationKey: String? {
    get { content.alertActionLocalizationKey }
    set { set(\.alertActionLocalizationKey, newValue) }
  }

  /// The name of the image that is shown while the app launches.
  public var alertLaunchImage: String? {
    get { content.alertLaunchImage }
    set { set(\.alertLaunchImage, newValue) }
  }

  /// The name of the sound.
  public var soundName: String? {
    get { content.soundName }
    set { set(\.soundName, newValue) }
  }

  /// The fields whose values the notification carries; Apple's servers allow three at most.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { content.desiredKeys }
    set { set(\.desiredKeys, newValue) }
  }

  /// Whether the app icon's badge is incremented.
  public var shouldBadge: Bool {
    get { content.shouldBadge }
    set { set(\.shouldBadge, newValue) }
  }

  /// Whether the app gets time to fetch the changes in the background.
  public var shouldSendContentAvailable: Bool {
    get { content.shouldSendContentAvailable }
    set { set(\.shouldSendContentAvailable, newValue) }
  }

  /// Whether the app may change the notification before it is shown.
  public var shouldSendMutableContent: Bool {
    get { content.shouldSendMutableContent }
    set { set(\.shouldSendMutableContent, newValue) }
  }

  /// The name of the category, which determines the alert's actions.
  public var category: String? {
    get { content.category }
    set { set(\.category, newValue) }
  }

  /// A field whose value identifies the notification: a newer notification replaces an older one
  /// with the same value.
  public var collapseIDKey: CKRecord.FieldKey? {
    get { content.collapseIDKey }
    set { set(\.collapseIDKey, newValue) }
  }

  // MARK: Archives

  /// Creates notification contents from an archive; nil if the archive contains none.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.object(NSData.self, Self.key),
      let content = try? JSONDecoder().decode(Content.self, from: data as Data)
    else { return nil }
    self.init(content)
  }

  /// Encodes the contents into an archive.
  public func encode(with coder: NSCoder) {
    // Encoding strings, lists of strings and booleans cannot fail.
    if let data = try? JSONEncoder().encode(content) {
      coder.encode(data as NSData, forKey: Self.key)
    }
  }

  private static let key = "Content"

  /// Whether the class supports secure coding, which it does.
  public static var supportsSecureCoding: Bool { true }

  /// Returns an independent object with the same contents.
  public func copy(with zone: NSZone? = nil) -> Any { CKSubscriptionNotificationInfo(content) }

  /// Whether two objects have the same contents.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKSubscriptionNotificationInfo)?.content == content
  }

  /// A hash that is the same for equal contents.
  public override var hash: Int {
    (content.alertBody ?? content.alertLocalizationKey ?? "").hashValue
  }
}
