/// The USB address of a device, which shows whether two paths lead to the same one.
struct USBAddress: Hashable {
  let bus: Int
  let device: Int

  /// - Parameters:
  ///   - bus: the attribute `busnum` of sysfs: digits and a line end.
  ///   - device: the attribute `devnum`.
  init?(bus: [UInt8], device: [UInt8]) {
    func number(_ text: [UInt8]) -> Int? {
      Int(String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self))
    }
    guard let bus = number(bus), let device = number(device) else { return nil }
    self.bus = bus
    self.device = device
  }

  /// - Parameter channel: a reader's channel ID (PC/SC part 3, 3.1.2): 0x20 in
  ///   the upper half for USB, below it bus and device.
  init?(channel: UInt32) {
    guard channel >> 16 == 0x20 else { return nil }
    bus = Int(channel >> 8 & 0xFF)
    device = Int(channel & 0xFF)
  }
}
