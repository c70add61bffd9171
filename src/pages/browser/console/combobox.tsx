import { useEffect, useId, useState } from 'preact/hooks';
import type { ControlProps } from './form.tsx';
import { ProjectsDocument, type ProjectsQuery } from './generated-documents.ts';
import { type RequestError, request } from './request.ts';

const TYPING_MS = 200;

const SHOWN = 8;

/** A project that can be chosen. */
type Choice = { readonly name: string; readonly title: string };

/** The answer for a text. */
type Found = {
  readonly text: string;
  readonly projects?: ProjectsQuery['projects'];
  readonly error?: RequestError;
};

type ComboboxProps = {
  readonly control: ControlProps;
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
};

/**
 * A field that finds a project by the beginning of its title. It asks for nothing until it is opened. Source: ARIA
 * Authoring Practices, combobox with list autocomplete.
 */
export function ProjectCombobox({ control, chosen, onChoose }: ComboboxProps) {
  const { name, ...attributes } = control;
  const list = useId();
  // Undefined while the list is closed.
  const [text, setText] = useState<string>();
  const [found, setFound] = useState<Found>();
  const [active, setActive] = useState(0);
  const isOpen = text !== undefined;
  const { nodes = [], totalCount = 0 } = found?.projects ?? {};
  // The answer for an earlier text is shown until the next one, but nothing of it can be chosen.
  const isCurrent = found?.text === text;
  useEffect(() => {
    if (text === undefined) return;
    let isLatest = true;
    const show = (result: Omit<Found, 'text'>) => {
      if (!isLatest) return;
      setFound({ text, ...result });
      setActive(0);
    };
    const find = () =>
      request(ProjectsDocument, { first: SHOWN, ...(text.trim() && { title: text.trim() }) }).then(
        ({ projects }) => show({ projects }),
        (error) => show({ error }),
      );
    const timer = setTimeout(find, text === '' ? 0 : TYPING_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [text]);
  const choose = (choice: Choice | undefined) => {
    if (!isCurrent || !choice) return;
    onChoose(choice);
    setText(undefined);
  };
  const move = (step: number) => {
    if (isOpen) setActive((active + step + nodes.length) % (nodes.length || 1));
    else setText('');
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ...(isOpen && { Enter: () => choose(nodes[active]), Escape: () => setText(undefined) }),
  };
  return (
    <div class="combobox">
      <input type="hidden" name={name} value={chosen.name} />
      <input
        {...attributes}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        {...(isOpen && isCurrent && nodes.length > 0 && { 'aria-activedescendant': `${list}-${active}` })}
        autocomplete="off"
        maxLength={200}
        value={text ?? chosen.title}
        placeholder={chosen.title}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => isOpen || setText('')}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={() => setText(undefined)}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (!act) return;
          event.preventDefault();
          act();
        }}
      />
      {/* It stays in the document, because the field names it. */}
      <div class="options" hidden={!isOpen}>
        <div id={list} role="listbox" aria-label="Projects">
          {nodes.map((choice, index) => (
            <div
              key={choice.name}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // The field keeps the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(choice);
              }}
            >
              {choice.title}
            </div>
          ))}
        </div>
        <p class="muted" role="status">
          {messageOf(found, totalCount - nodes.length)}
        </p>
      </div>
    </div>
  );
}

function messageOf(found: Found | undefined, more: number): string {
  if (!found) return 'Loading…';
  if (found.error) return found.error.message;
  if (found.projects?.totalCount === 0) return 'No title begins with this.';
  return more > 0 ? `${more.toLocaleString('en')} more: type the beginning of the title.` : '';
}
