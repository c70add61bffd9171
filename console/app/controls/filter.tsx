import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useObservable } from '../observable.ts';
import { route, setQuery } from '../router.ts';
import { isSecret, SECRET_REFUSED } from '../secret-text.ts';

const TYPING_MS = 250;

/** The box of a list of wallets, which then has the archived ones alone. Its state is in the address. */
export function ArchivedFilter() {
  const isArchived = useObservable(route).query.has('archived');
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isArchived}
        onChange={() => setQuery({ archived: isArchived ? '' : 'true' })}
      />
      Archived
    </label>
  );
}

/** The field of a list that filters by the start of the title. The text is in the address. */
export function Filter() {
  const title = useObservable(route).query.get('title') ?? '';
  const [text, setText] = useState(title);
  // The address can change by the history, or by the field of the bar.
  useLayoutEffect(() => setText((before) => (before.trim() === title ? before : title)), [title]);
  useEffect(() => {
    const timer = setTimeout(() => text.trim() !== title && setQuery({ title: text.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      class="filter"
      aria-label="Find by title"
      placeholder="Find by title"
      maxLength={200}
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => {
        const isRefused = isSecret(currentTarget.value);
        if (isRefused) currentTarget.value = '';
        setText(currentTarget.value);
        currentTarget.setCustomValidity(isRefused ? SECRET_REFUSED : '');
        currentTarget.reportValidity();
      }}
    />
  );
}
