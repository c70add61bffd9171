import { expect, test } from 'vitest';
import { quoted } from '../../../console/app/texts.ts';

test('a title in quotation marks does not turn the text after it', () => {
  expect(quoted('Back office')).toBe('“Back office”');
  expect(quoted('a\u202eb')).toBe('“\u2068a\u202eb\u2069”');
});
