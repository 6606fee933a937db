/// What a device is told to do: one line on its standard input.
package struct DemoRequest: Codable, Equatable, Sendable {
  /// The number that the answer names.
  package let number: Int
  package let order: DemoOrder

  package init(number: Int, order: DemoOrder) {
    (self.number, self.order) = (number, order)
  }
}

/// The orders that devices know.
package enum DemoOrder: Codable, Equatable, Sendable {
  /// Opens a store in a folder, mirrored with a server.
  case open(place: DemoPlace)
  /// Makes notes in a folder, in one save.
  case add(folder: String, titles: [String])
  /// Makes notes in a folder, each in a save of its own, with a rest after each.
  case addOneByOne(folder: String, titles: [String])
  case rename(title: String, to: String)
  case write(title: String, text: String)
  /// Gives a note an attachment of so many bytes.
  case attach(title: String, bytes: Int)
  case delete(titles: [String])
  /// Goes offline.
  case pause
  /// Goes online.
  case resume
  /// Returns when the device and the server have everything of each other.
  case sync
  /// Tells what the device has.
  case show
  /// Loses the store, and starts again with an empty one.
  case lose
  /// Tells what the server has, as a client sees it that knows nothing of stores.
  case look(place: DemoPlace)
  /// What the benchmarks ask for.
  case measured(MeasuredOrder)
}

/// Where a device keeps its store, and the server that it is mirrored with.
package struct DemoPlace: Codable, Equatable, Sendable {
  package let folder: String
  package let port: UInt16
  package let account: OwnAccount
  /// The file of a store that other processes have open, too; nil for a new one of the device's
  /// own.
  package var sharedFile: String?

  package init(folder: String, port: UInt16, account: OwnAccount, sharedFile: String? = nil) {
    (self.folder, self.port, self.account, self.sharedFile) = (folder, port, account, sharedFile)
  }
}
