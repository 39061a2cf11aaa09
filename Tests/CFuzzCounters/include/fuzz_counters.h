#ifndef FUZZ_COUNTERS_H
#define FUZZ_COUNTERS_H

/* Raises the counter of a line of libfido2's log. libFuzzer takes a new counter for new
 * coverage, so this shows it the paths of a library without instrumentation. Bytes and
 * numbers in the line do not count. */
void fuzz_count_log_line(const char *line);

#endif
