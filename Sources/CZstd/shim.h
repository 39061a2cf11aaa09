#pragma once
// For ZSTD_initStaticCCtx and ZSTD_initStaticDCtx: they let zstd work in memory
// that the caller guards and wipes, and the shared library exports them.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>
