import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

const MAX_STOPS = 200;

// Returns the element with the focus if a person can't see that it has the focus. A card shows it by `::after`.
const UNSEEN_FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  // The button within a date field, which the browser outlines.
  if (!element.matches(':focus')) return undefined;
  const isOutlined = [undefined, '::after'].some((pseudo) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, pseudo);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  });
  const { top, bottom } = element.getBoundingClientRect();
  return isOutlined && bottom > 0 && top < innerHeight ? undefined : element.outerHTML;
})()`;

/** Moves the focus to an element by Tab, as a person without a mouse does. The focus has to be visible on the way. */
export async function tabTo(target: Locator): Promise<void> {
  const page = target.page();
  await target.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
    expect(await page.evaluate(UNSEEN_FOCUS)).toBeUndefined();
  }
  throw new Error(`The Tab key does not reach ${target}.`);
}

/** Activates a link or a button by the keyboard, or a checkbox by the key `Space`. */
export async function activate(target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

/** Replaces the text of a field by the keyboard. */
export async function type(field: Locator, text: string): Promise<void> {
  await tabTo(field);
  const { keyboard } = field.page();
  await keyboard.press('ControlOrMeta+A');
  await keyboard.press('Delete');
  await keyboard.type(text);
}
