import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ProjectsDocument } from '../generated/documents.ts';
import { request } from '../request.ts';
import { isSecret, SECRET_REFUSED } from '../secret-text.ts';
import { TEXTS } from '../texts.ts';
import { useUniqueId } from '../unique-id.ts';
import { Cover } from './cover.tsx';
import type { ControlProps } from './form.tsx';

const TYPING_MS = 200;

const SHOWN = 8;

/** The choices. */
type Choice = { readonly name: string };

/** The choices found for a text, and a message about them. */
export type Found<Item extends Choice> = {
  readonly groups: readonly { readonly heading?: string; readonly choices: readonly Item[] }[];
  readonly message: ComponentChildren;
};

/** The keys that are held while something is chosen. */
type Modifiers = Pick<MouseEvent, 'ctrlKey' | 'metaKey'>;

/** The attributes of something that can be chosen. */
export type OptionAttributes = {
  readonly id: string;
  readonly role: 'option';
  readonly tabIndex: -1;
  readonly 'aria-selected': boolean;
  readonly onMouseDown: (event: MouseEvent) => void;
  readonly onClick: (event: MouseEvent) => void;
};

/** Attributes of the field in addition to those of every combobox. */
type FieldAttributes = Pick<
  JSX.IntrinsicElements['input'],
  | 'id'
  | 'ref'
  | 'placeholder'
  | 'aria-label'
  | 'aria-keyshortcuts'
  | 'aria-invalid'
  | 'aria-describedby'
  | 'onFocus'
>;

type ComboboxProps<Item extends Choice> = {
  readonly attributes: FieldAttributes;
  /**
   * The title of the current choice, in a form. The list then opens for an empty text, too, and only shown choices can be
   * chosen. Elsewhere, Enter chooses the first match.
   */
  readonly chosen?: string;
  readonly find: (text: string) => Promise<Found<Item>>;
  readonly onChoose: (choice: Item, modifiers: Modifiers) => void;
  /** The name of the list. */
  readonly label: string;
  readonly draw: (choice: Item, attributes: OptionAttributes) => JSX.Element;
};

/**
 * A field with a list of the matches of its text. It requests nothing until it is opened, and never looks for a secret.
 * Source: ARIA Authoring Practices, combobox with list autocomplete.
 */
export function Combobox<Item extends Choice>(props: ComboboxProps<Item>) {
  const { attributes, chosen } = props;
  const list = useUniqueId();
  const { text, open, close, found, active, choose, keys } = useCombobox(props);
  const isOpen = text !== undefined;
  return (
    <div class="combobox">
      <input
        {...attributes}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active && `${list}-${active.name}`}
        autocomplete="off"
        maxLength={200}
        value={isSecret(text ?? '') ? '' : (text ?? chosen ?? '')}
        onClick={() => isOpen || open('')}
        onInput={({ currentTarget }) => open(currentTarget.value)}
        onBlur={close}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (!act || event.isComposing) return;
          event.preventDefault();
          act(event);
        }}
      />
      <Options {...props} list={list} isOpen={isOpen} found={found} active={active} onChoose={choose} />
    </div>
  );
}

/** The state of a combobox, and what its keys do. */
function useCombobox<Item extends Choice>({ chosen, find, onChoose }: ComboboxProps<Item>) {
  // Undefined while the list is closed.
  const [text, setText] = useState<string>();
  const [index, setIndex] = useState(0);
  const [awaited, setAwaited] = useState<{ readonly text: string; readonly modifiers: Modifiers }>();
  const found = useFound(text, find, () => setIndex(0));
  const choices = found.groups.flatMap((group) => group.choices);
  // The answer for an earlier text is shown until the next one, but nothing of it can be chosen.
  const active = text !== undefined && found.text === text ? choices[index] : undefined;
  const isInForm = chosen !== undefined;
  const show = (value: string | undefined) => {
    setText(value);
    setAwaited(undefined);
  };
  const open = (value: string) => show(value.trim() === '' && !isInForm ? undefined : value);
  const close = () => show(undefined);
  const choose = (choice: Item, modifiers: Modifiers) => {
    if (!active) return;
    onChoose(choice, modifiers);
    close();
  };
  useEffect(() => {
    if (active && awaited && awaited.text === text) choose(active, awaited.modifiers);
  }, [found]);
  const move = (step: number) => {
    if (text === undefined) open('');
    else setIndex((index + step + choices.length) % (choices.length || 1));
  };
  const keys: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ...(text !== undefined && {
      Enter: (event: KeyboardEvent) => {
        if (active) choose(active, event);
        else if (!isInForm) setAwaited({ text, modifiers: event });
      },
      Escape: close,
    }),
  };
  return { text, open, close, found, active, choose, keys };
}

type OptionsProps<Item extends Choice> = Pick<ComboboxProps<Item>, 'label' | 'draw' | 'onChoose'> & {
  readonly list: string;
  readonly isOpen: boolean;
  readonly found: Found<Item>;
  /** The one that Enter chooses. */
  readonly active: Item | undefined;
};

/** The list of a combobox. It stays in the document while it is closed, because the field names it. */
function Options<Item extends Choice>(props: OptionsProps<Item>) {
  const { list, label, isOpen, found, active, draw, onChoose } = props;
  return (
    <div class="options" hidden={!isOpen}>
      <div id={list} role="listbox" aria-label={label}>
        {found.groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not a fieldset.
          <div key={group.heading} role="group" aria-label={group.heading ?? label}>
            {group.heading && (
              <p class="muted" aria-hidden="true">
                {group.heading}
              </p>
            )}
            {group.choices.map((choice) =>
              draw(choice, {
                id: `${list}-${choice.name}`,
                role: 'option',
                tabIndex: -1,
                'aria-selected': choice === active,
                // The field keeps the focus.
                onMouseDown: (event) => event.preventDefault(),
                onClick: (event) => {
                  event.preventDefault();
                  onChoose(choice, event);
                },
              }),
            )}
          </div>
        ))}
      </div>
      <p class="muted" role="status">
        {found.message}
      </p>
    </div>
  );
}

/** Returns the last matches, and calls a function when they change. There are none while the text is undefined. */
function useFound<Item extends Choice>(
  text: string | undefined,
  find: ComboboxProps<Item>['find'],
  onFound: () => void,
): Found<Item> & { readonly text?: string } {
  const [found, setFound] = useState<Found<Item> & { readonly text?: string }>({
    groups: [],
    message: 'Loading…',
  });
  useEffect(() => {
    if (text === undefined) return;
    let isLatest = true;
    const show = async () => {
      const result = isSecret(text)
        ? { groups: [], message: SECRET_REFUSED }
        : await find(text.trim()).catch((error: Error) => ({ groups: [], message: error.message }));
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

type ProjectComboboxProps = {
  readonly control: ControlProps;
  readonly chosen: Choice & { readonly title: string };
  readonly onChoose: (choice: ProjectComboboxProps['chosen']) => void;
};

/** A field that finds a project by the start of its title. */
export function ProjectCombobox({ control, chosen, onChoose }: ProjectComboboxProps) {
  const { name, ...attributes } = control;
  return (
    <>
      <input type="hidden" name={name} value={chosen.name} />
      <Combobox
        attributes={{
          ...attributes,
          placeholder: chosen.title,
          onFocus: (event) => event.currentTarget.select(),
        }}
        chosen={chosen.title}
        find={findProjects}
        onChoose={onChoose}
        label="Projects"
        draw={(project, attributes) => (
          <div key={project.name} {...attributes}>
            <Cover url={project.imageCoverUrl} /> {project.title}
          </div>
        )}
      />
    </>
  );
}

async function findProjects(title: string) {
  const { projects } = await request(ProjectsDocument, { first: SHOWN, ...(title && { title }) });
  const { nodes, totalCount } = projects;
  const more = totalCount - nodes.length;
  if (totalCount === 0) return { groups: [], message: 'No matches.' };
  const message = more > 0 ? TEXTS.moreProjects(more) : '';
  return { groups: [{ choices: nodes }], message };
}
