import { expect, test } from 'vitest';
import { titleKey } from '../../../src/model/title-key.ts';

const FORMS: Readonly<Record<string, (text: string) => string>> = {
  'lower case': (text) => text.toLowerCase(),
  'upper case': (text) => text.toUpperCase(),
  NFC: (text) => text.normalize('NFC'),
  NFD: (text) => text.normalize('NFD'),
  NFKC: (text) => text.normalize('NFKC'),
  NFKD: (text) => text.normalize('NFKD'),
};

test.each(Object.entries(FORMS))('the %s of any character finds its title', (_, form) => {
  const lost: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const title = `a${String.fromCodePoint(code)}b`;
    const formed = form(title);
    // Most characters have no other form.
    if (formed !== title && title.isWellFormed() && titleKey(formed) !== titleKey(title)) lost.push(title);
  }
  expect(lost).toEqual([]);
});
