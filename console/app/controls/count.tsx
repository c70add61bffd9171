import { countText } from '../texts.ts';

/** A count in a tab or next to a heading. Until it is known, there is nothing. */
export function Count({ of }: { of: number | undefined }) {
  return of === undefined ? null : <span class="mark">{countText(of)}</span>;
}
