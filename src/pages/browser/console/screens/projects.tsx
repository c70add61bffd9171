import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Cover } from '../cover.tsx';
import { ProjectsDocument } from '../generated-documents.ts';
import { More, sizeOf, useList } from '../list.tsx';
import { linkTo } from '../router.ts';
import { Screen } from '../screen.tsx';

// The API has no search. While a text is searched, the other projects are loaded, up to this number.
const MAX_SEARCHED = 1000;

const SEARCHED_PAGE = 100;

/** The projects that the token sees. The screen is kept in the background, with its list and its place in it. */
export function Projects({ isShown }: { isShown: boolean }) {
  const list = useList(ProjectsDocument, {}, ({ projects }) => projects);
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const { nodes, totalCount = 0, hasMore, failure, loadMore } = list;
  const isSearching = text.trim() !== '' && hasMore && nodes.length < MAX_SEARCHED;
  useEffect(() => {
    if (isSearching && !failure) loadMore(SEARCHED_PAGE);
  }, [isSearching, failure, nodes]);
  const found = nodes.filter(matcher(text));
  return (
    <Screen
      title="Projects"
      isShown={isShown}
      aside={totalCount > 1 && <Find input={input} text={text} onInput={setText} />}
      onKeyDown={(event) => {
        if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === input.current) return;
        event.preventDefault();
        input.current?.focus();
      }}
    >
      {totalCount > 0 && (
        <p class="muted" role="status">
          {text.trim() !== '' && `${found.length} of `}
          {sizeOf(totalCount, 'project')}
          {isSearching && !failure && ', searching…'}
          {text.trim() !== '' && hasMore && !isSearching && `, of which ${nodes.length} were searched`}
        </p>
      )}
      <ul class="cards">
        {found.map(({ name, title, description }) => (
          <li key={name}>
            <Cover project={name} />
            <h2>
              <a href={linkTo(name)}>{title}</a>
            </h2>
            <p class="muted">{description}</p>
          </li>
        ))}
      </ul>
      {text.trim() !== '' && found.length === 0 && !isSearching && (
        <p class="empty">No project contains “{text.trim()}”.</p>
      )}
      {(text.trim() === '' || failure) && <More list={list} />}
    </Screen>
  );
}

type FindProps = {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly onInput: (text: string) => void;
};

/** The field that filters. */
function Find({ input, text, onInput }: FindProps) {
  return (
    <div class="find">
      <input
        ref={input}
        type="search"
        aria-label="Find projects"
        placeholder="Find"
        value={text}
        aria-keyshortcuts="/"
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <kbd>/</kbd>
    </div>
  );
}

/** Returns whether a project contains each word of a text. */
function matcher(text: string) {
  const words = text.toLowerCase().split(/\s+/);
  return ({ title, description }: { title: string; description: string }) => {
    const content = `${title} ${description}`.toLowerCase();
    return words.every((word) => content.includes(word));
  };
}
