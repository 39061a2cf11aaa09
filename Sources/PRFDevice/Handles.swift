internal import CFido2
internal import Glibc

// One move-only owner for each kind of C handle. libfido2 wipes its contents (hmac-secret outputs,
// salts) when it frees them.

/// Owner of a `fido_dev_t`; closes the device before it frees it.
@safe
struct DeviceHandle: ~Copyable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// Creates a handle for a device that libfido2 does not list.
  init() throws(PRFDeviceError) {
    guard let pointer = unsafe fido_dev_new() else { throw .outOfMemory }
    unsafe self.init(pointer)
  }

  deinit {
    // An error means that it was not open.
    _ = unsafe fido_dev_close(pointer)
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_dev_free(&pointer)
  }
}

/// Owner of a list of `fido_dev_info_t`.
@safe
struct DeviceInfoList: ~Copyable {
  let pointer: OpaquePointer
  let capacity: Int

  init(capacity: Int) throws(PRFDeviceError) {
    guard let pointer = unsafe fido_dev_info_new(capacity) else { throw .outOfMemory }
    unsafe self.pointer = pointer
    self.capacity = capacity
  }

  deinit {
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_dev_info_free(&pointer, capacity)
  }
}

/// One device of a list, which it keeps alive.
@safe
struct DeviceEntry: Sendable {
  /// Shared by the entries of a list; nothing changes it once it is filled.
  final class List: @unchecked Sendable {
    let handle: DeviceInfoList
    init(_ handle: consuming DeviceInfoList) { self.handle = handle }
  }

  private let list: List
  private let index: Int

  init(_ list: List, _ index: Int) {
    self.list = list
    self.index = index
  }

  /// libfido2's entry; valid while this value lives.
  var pointer: OpaquePointer? { unsafe fido_dev_info_ptr(list.handle.pointer, index) }

  /// A handle for the device, not yet opened.
  func makeHandle() throws(PRFDeviceError) -> DeviceHandle {
    guard let pointer = unsafe pointer, let device = unsafe fido_dev_new_with_info(pointer) else {
      throw .outOfMemory
    }
    return unsafe DeviceHandle(device)
  }
}

/// Owner of a `fido_cbor_info_t`.
@safe
struct CBORInfoHandle: ~Copyable {
  let pointer: OpaquePointer

  init() throws(PRFDeviceError) {
    guard let pointer = unsafe fido_cbor_info_new() else { throw .outOfMemory }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_cbor_info_free(&pointer)
  }
}

/// Owner of a `fido_cred_t`.
@safe
struct CredentialHandle: ~Copyable {
  let pointer: OpaquePointer

  init() throws(PRFDeviceError) {
    guard let pointer = unsafe fido_cred_new() else { throw .outOfMemory }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_cred_free(&pointer)
  }
}

/// Owner of a `fido_assert_t`.
@safe
struct AssertionHandle: ~Copyable {
  let pointer: OpaquePointer

  init() throws(PRFDeviceError) {
    guard let pointer = unsafe fido_assert_new() else { throw .outOfMemory }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_assert_free(&pointer)
  }
}

/// Owner of a `fido_credman_rp_t`.
@safe
struct RelyingPartyListHandle: ~Copyable {
  let pointer: OpaquePointer

  init() throws(PRFDeviceError) {
    guard let pointer = unsafe fido_credman_rp_new() else { throw .outOfMemory }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_credman_rp_free(&pointer)
  }
}

/// Owner of a `fido_credman_rk_t`.
@safe
struct ResidentKeyListHandle: ~Copyable {
  let pointer: OpaquePointer

  init() throws(PRFDeviceError) {
    guard let pointer = unsafe fido_credman_rk_new() else { throw .outOfMemory }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: OpaquePointer? = unsafe pointer
    unsafe fido_credman_rk_free(&pointer)
  }
}

extension PRFDeviceError {
  static var outOfMemory: PRFDeviceError { .system(errno: Int(ENOMEM)) }
}
