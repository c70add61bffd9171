import { useEffect, useId, useState } from 'preact/hooks';
import { ProjectsDocument } from '../generated/documents.ts';
import { request } from '../request.ts';
import type { ControlProps } from './form.tsx';

const TYPING_MS = 200;

const SHOWN = 8;

/** A project that can be chosen. */
type Choice = { readonly name: string; readonly title: string };

/** What was found for a text, and what to say about it. */
type Found = { readonly text?: string; readonly nodes: readonly Choice[]; readonly message: string };

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
  const [active, setActive] = useState(0);
  const found = useFound(text, () => setActive(0));
  const isOpen = text !== undefined;
  // The answer for an earlier text is shown until the next one, but nothing of it can be chosen.
  const isCurrent = isOpen && found.text === text;
  const { nodes } = found;
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
        aria-activedescendant={isCurrent && nodes.length > 0 ? `${list}-${active}` : undefined}
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
      <Options list={list} isOpen={isOpen} found={found} active={active} onChoose={choose} />
    </div>
  );
}

type OptionsProps = {
  readonly list: string;
  readonly isOpen: boolean;
  readonly found: Found;
  /** The index of the option that Enter chooses. */
  readonly active: number;
  readonly onChoose: (choice: Choice) => void;
};

/** The list of a combobox. It stays in the document while it is closed, because the field names it. */
function Options({ list, isOpen, found, active, onChoose }: OptionsProps) {
  return (
    <div class="options" hidden={!isOpen}>
      <div id={list} role="listbox" aria-label="Projects">
        {found.nodes.map((choice, index) => (
          <div
            key={choice.name}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // The field keeps the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              onChoose(choice);
            }}
          >
            {choice.title}
          </div>
        ))}
      </div>
      <p class="muted" role="status">
        {found.message}
      </p>
    </div>
  );
}

/** Returns what was found last, and calls a function when this changes. Nothing is found while the text is undefined. */
function useFound(text: string | undefined, onFound: () => void): Found {
  const [found, setFound] = useState<Found>({ nodes: [], message: 'Loading…' });
  useEffect(() => {
    if (text === undefined) return;
    let isLatest = true;
    const show = async () => {
      const result = await find(text);
      if (!isLatest) return;
      setFound({ text, ...result });
      onFound();
    };
    const timer = setTimeout(show, text === '' ? 0 : TYPING_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [text]);
  return found;
}

async function find(text: string): Promise<Omit<Found, 'text'>> {
  const title = text.trim();
  try {
    const { projects } = await request(ProjectsDocument, { first: SHOWN, ...(title && { title }) });
    const { nodes, totalCount } = projects;
    const more = totalCount - nodes.length;
    if (totalCount === 0) return { nodes, message: 'No title begins with this.' };
    return { nodes, message: more > 0 ? `${more} more: type the beginning of the title.` : '' };
  } catch (error) {
    return { nodes: [], message: (error as Error).message };
  }
}
