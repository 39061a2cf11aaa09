#ifndef FUZZ_COUNTERS_H
#define FUZZ_COUNTERS_H

/* Raises the counter that belongs to a line of libfido2's log: libFuzzer takes
 * a new one for new coverage. It is how a library that is not instrumented
 * tells where it has been. Bytes and numbers in the line do not count. */
void fuzz_count_log_line(const char *line);

#endif
