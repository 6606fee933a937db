public import Foundation
import Synchronization

extension CKSubscription {
  /// What notifications show.
  public typealias NotificationInfo = CKSubscriptionNotificationInfo
}

// Sendable: what can change is under the lock.
/// What notifications show: `CKSubscription.NotificationInfo`.
///
/// Say at least one of them: a text, a sound, a badge, or that the program gets time to fetch
/// (`shouldSendContentAvailable`).
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

  /// Notifications that show nothing.
  public override convenience init() {
    self.init(Content())
  }

  /// Notifications that show something.
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

  // MARK: What is shown

  /// The text.
  public var alertBody: String? {
    get { content.alertBody }
    set { set(\.alertBody, newValue) }
  }

  /// The name of the text among the program's translations.
  public var alertLocalizationKey: String? {
    get { content.alertLocalizationKey }
    set { set(\.alertLocalizationKey, newValue) }
  }

  /// Fields whose values take the places in the translated text.
  public var alertLocalizationArgs: [CKRecord.FieldKey]? {
    get { content.alertLocalizationArgs }
    set { set(\.alertLocalizationArgs, newValue) }
  }

  /// The title.
  public var title: String? {
    get { content.title }
    set { set(\.title, newValue) }
  }

  /// The name of the title among the program's translations.
  public var titleLocalizationKey: String? {
    get { content.titleLocalizationKey }
    set { set(\.titleLocalizationKey, newValue) }
  }

  /// Fields whose values take the places in the translated title.
  public var titleLocalizationArgs: [CKRecord.FieldKey]? {
    get { content.titleLocalizationArgs }
    set { set(\.titleLocalizationArgs, newValue) }
  }

  /// The second line of the title.
  public var subtitle: String? {
    get { content.subtitle }
    set { set(\.subtitle, newValue) }
  }

  /// The name of the second line among the program's translations.
  public var subtitleLocalizationKey: String? {
    get { content.subtitleLocalizationKey }
    set { set(\.subtitleLocalizationKey, newValue) }
  }

  /// Fields whose values take the places in the translated second line.
  public var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
    get { content.subtitleLocalizationArgs }
    set { set(\.subtitleLocalizationArgs, newValue) }
  }

  /// The name of the button's text among the program's translations.
  public var alertActionLocalizationKey: String? {
    get { content.alertActionLocalizationKey }
    set { set(\.alertActionLocalizationKey, newValue) }
  }

  /// The picture that is shown while the program starts.
  public var alertLaunchImage: String? {
    get { content.alertLaunchImage }
    set { set(\.alertLaunchImage, newValue) }
  }

  /// The sound.
  public var soundName: String? {
    get { content.soundName }
    set { set(\.soundName, newValue) }
  }

  /// Fields whose values come with the notification, three at most.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { content.desiredKeys }
    set { set(\.desiredKeys, newValue) }
  }

  /// Whether the number on the program's picture rises.
  public var shouldBadge: Bool {
    get { content.shouldBadge }
    set { set(\.shouldBadge, newValue) }
  }

  /// Whether the program gets time to fetch what changed.
  public var shouldSendContentAvailable: Bool {
    get { content.shouldSendContentAvailable }
    set { set(\.shouldSendContentAvailable, newValue) }
  }

  /// Whether the program may change what is shown.
  public var shouldSendMutableContent: Bool {
    get { content.shouldSendMutableContent }
    set { set(\.shouldSendMutableContent, newValue) }
  }

  /// What kind of notification it is, for the buttons that go with it.
  public var category: String? {
    get { content.category }
    set { set(\.category, newValue) }
  }

  /// A field: of notifications with the same value in it, the last one is shown.
  public var collapseIDKey: CKRecord.FieldKey? {
    get { content.collapseIDKey }
    set { set(\.collapseIDKey, newValue) }
  }

  // MARK: Archives

  /// Reads what notifications show from an archive; nil where it holds nothing.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.object(NSData.self, Self.key),
      let content = try? JSONDecoder().decode(Content.self, from: data as Data)
    else { return nil }
    self.init(content)
  }

  /// Writes what notifications show into an archive.
  public func encode(with coder: NSCoder) {
    // Texts, lists of texts and truth values can always be encoded.
    if let data = try? JSONEncoder().encode(content) {
      coder.encode(data as NSData, forKey: Self.key)
    }
  }

  private static let key = "Content"

  /// True: it holds texts only.
  public static var supportsSecureCoding: Bool { true }

  /// Another one that shows the same.
  public func copy(with zone: NSZone? = nil) -> Any { CKSubscriptionNotificationInfo(content) }

  /// Two are equal where they show the same.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKSubscriptionNotificationInfo)?.content == content
  }

  /// Equal ones have equal hashes.
  public override var hash: Int {
    (content.alertBody ?? content.alertLocalizationKey ?? "").hashValue
  }
}
