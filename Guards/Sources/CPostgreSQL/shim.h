// libpq, linked into keybackup-guard only.
#pragma once
#include <libpq-fe.h>
