#pragma once
#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_recovery.h>
#include <secp256k1_schnorrsig.h>

/// The magic of secp256k1_schnorrsig_extraparams, which the library gives as an
/// initialiser that Swift cannot read.
static inline secp256k1_schnorrsig_extraparams keybackup_schnorrsig_extraparams(void *random) {
  secp256k1_schnorrsig_extraparams parameters = SECP256K1_SCHNORRSIG_EXTRAPARAMS_INIT;
  parameters.ndata = random;
  return parameters;
}

/// The library's own context, sufficient for everything without secret multiplication.
/// It is a global variable, which Swift considers mutable.
static inline const secp256k1_context *keybackup_secp256k1_context(void) {
  return secp256k1_context_static;
}
