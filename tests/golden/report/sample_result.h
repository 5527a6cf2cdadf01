#ifndef TIDEMARK_TESTS_GOLDEN_REPORT_SAMPLE_RESULT_H_
#define TIDEMARK_TESTS_GOLDEN_REPORT_SAMPLE_RESULT_H_

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// What a hostile server might answer: the end of a script, markup, a terminal's escape, a quote,
// characters beyond ASCII.
inline constexpr char kHostileExcerpt[] =
    "</script><script>alert('x')</script> <!-- \"caf\xc3\xa9\" \xe6\xb5\xb7 &amp; "
    "\x1b[31mred\x07\r\nline 2 \xe2\x80\xa8 end";

// A list of four levels with the SLA latency p99 < 2,000 ms: 1 and 16 PASS, 32 FAILs with errors
// and kHostileExcerpt, 64 is INVALID. With knee, law, labels and a warning.
v1::Result SampleSweep();

// The same without SLAs.
v1::Result SampleSweepWithoutSlas();

// A search that visited 16, 32 (FAIL), 24 (PASS), 28 (FAIL), 24 again, and answers 24.
v1::Result SampleSearch();

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_GOLDEN_REPORT_SAMPLE_RESULT_H_
