#pragma once
// For ZSTD_initStaticCCtx and ZSTD_initStaticDCtx, which the shared library exports. They
// let zstd work in memory that the caller guards and wipes.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>
