package import Foundation

/// The folder next to a store for large values in separate files, and the file system to access it.
package final class ValueFolder: Sendable, Equatable {
  package let url: URL
  package let files: any FileSystem

  package init(url: URL, files: any FileSystem) {
    self.url = url
    self.files = files
  }

  package static func == (one: ValueFolder, other: ValueFolder) -> Bool {
    one === other || one.url == other.url
  }
}
