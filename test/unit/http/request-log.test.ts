import { expect, test } from 'vitest';
import { traceId } from '../../../src/http/log/request-log.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

test.each([`00-${TRACE}-${PARENT}-01`, `01-${TRACE}-${PARENT}-00-later`, `cc-${TRACE}-${PARENT}-01`])(
  'the trace id in %s is read',
  (header) => {
    expect(traceId(header)).toBe(TRACE);
  },
);

test.each([
  undefined,
  '',
  TRACE,
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01-later`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
])('the trace id in %s is ignored', (header) => {
  expect(traceId(header)).toBeUndefined();
});
