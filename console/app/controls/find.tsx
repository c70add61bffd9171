import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linkTo, route, setQuery } from '../router.ts';
import { focusHeading } from '../screen.tsx';
import { useViewer } from '../session.ts';
import { useStore } from '../store.ts';

const TYPING_MS = 250;

const RESOURCE_NAME = /^(projects|wallets|apps)\/[0-9A-Z]{26}$/i;

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The field of a list that filters by the beginning of the title. The text is in the address. */
export function Filter() {
  const title = useStore(route).query.get('title') ?? '';
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
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** The field that leads to a resource by its name, to the wallets at an address, or to what a title begins with. */
export function GoTo() {
  const { onlyProject, project } = useViewer();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
      if (document.querySelector('dialog') !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const go = (text: string) => {
    const [kind = '', id = ''] = text.split('/');
    if (text === '') return;
    // A token has no screen of its own.
    if (/^tokens\//i.test(text)) location.hash = '#/tokens';
    else if (RESOURCE_NAME.test(text)) location.hash = linkTo(`${kind.toLowerCase()}/${id.toUpperCase()}`);
    else if (ADDRESS.test(text)) location.hash = `#/wallets?address=${text}`;
    // A token of one project sees no other one, so that it looks for a wallet.
    else location.hash = `#/${onlyProject ? project.name : ''}?${new URLSearchParams({ title: text })}`;
  };
  return (
    <form
      class="go"
      onSubmit={(event) => {
        event.preventDefault();
        go(input.current?.value.trim() ?? '');
        if (input.current) input.current.value = '';
        focusHeading();
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label="Find or go to"
        aria-keyshortcuts="/"
        placeholder="Title, address or name ( / )"
        maxLength={200}
        autocomplete="off"
      />
    </form>
  );
}
