#pragma once
#include <fido.h>
#include <fido/credman.h>
#include <fido/es256.h>
