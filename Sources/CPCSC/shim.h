// Constants of PC/SC that Swift cannot import: macros with parameters.
#pragma once
#include <reader.h>
#include <winscard.h>

/// Where a reader is connected: 0x0020bbdd for device dd on USB bus bb.
static const DWORD keybackup_attribute_channel_id = SCARD_ATTR_CHANNEL_ID;
