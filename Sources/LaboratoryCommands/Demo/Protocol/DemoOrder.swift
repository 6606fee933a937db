/// A request to a device: one line on its standard input.
package struct DemoRequest: Codable, Equatable, Sendable {
  /// The number that the answer repeats.
  package let number: Int
  package let order: DemoOrder

  package init(number: Int, order: DemoOrder) {
    (self.number, self.order) = (number, order)
  }
}

/// The orders that a device carries out.
package enum DemoOrder: Codable, Equatable, Sendable {
  /// Opens a store in a folder, mirrored with a server.
  case open(place: DemoPlace)
  /// Creates notes in a folder, in one save.
  case add(folder: String, titles: [String])
  /// Creates notes in a folder, each in a separate save, with a pause after each.
  case addOneByOne(folder: String, titles: [String])
  case rename(title: String, to: String)
  case write(title: String, text: String)
  /// Adds an attachment with a number of bytes to a note.
  case attach(title: String, bytes: Int)
  case delete(titles: [String])
  /// Goes offline.
  case pause
  /// Goes online.
  case resume
  /// Synchronizes with the server, in both directions.
  case sync
  /// Reports the device's content.
  case show
  /// Deletes the store, and starts again with an empty one.
  case lose
  /// Reports the server's content, read by a client without a store.
  case look(place: DemoPlace)
  /// An order of the benchmarks.
  case measured(MeasuredOrder)
}

/// The location of a device's store, and its server.
package struct DemoPlace: Codable, Equatable, Sendable {
  package let folder: String
  package let port: UInt16
  package let account: OwnAccount
  /// The file of a store that other processes also have open; nil for a new store.
  package var sharedFile: String?

  package init(folder: String, port: UInt16, account: OwnAccount, sharedFile: String? = nil) {
    (self.folder, self.port, self.account, self.sharedFile) = (folder, port, account, sharedFile)
  }
}
