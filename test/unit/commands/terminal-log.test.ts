import { expect, test } from 'vitest';
import { terminalLine } from '../../../src/commands/terminal-log.ts';

const LINE = { level: 40, time: 0, pid: 1, hostname: 'host', msg: 'request' };

test('a line has the level, the message and the other fields', () => {
  const line = terminalLine(
    JSON.stringify({ ...LINE, route: '/wallet/*', status: 401, reason: 'TOKEN_INVALID' }),
  );
  expect(line).toMatch(
    /^\d\d:\d\d:\d\d WARN {2}request route="\/wallet\/\*" status=401 reason=TOKEN_INVALID\n$/,
  );
});

test('a value cannot look like a field or control the terminal', () => {
  const line = terminalLine(JSON.stringify({ ...LINE, cause: 'a b=c\n\u001b[2J' }));
  expect(line).toContain('cause="a b=c\\n\\u001b[2J"\n');
});

test('an error is printed with its stack, without control characters', () => {
  const line = terminalLine(
    JSON.stringify({ ...LINE, msg: undefined, err: { stack: 'Error: x\u001b\n  at y' } }),
  );
  expect(line).toMatch(/WARN\n? *\nError: x\?\n {2}at y\n$/);
});
