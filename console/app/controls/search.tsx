import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  type HitFragment,
  SearchAddressDocument,
  SearchDocument,
  SearchNamesDocument,
} from '../generated/documents.ts';
import { nodeOf } from '../query.ts';
import { request } from '../request.ts';
import { linkTo } from '../router.ts';
import { focusHeading } from '../screen.tsx';
import { seesAccount, useViewer, type Viewer } from '../session.ts';
import { countText, quoted, TEXTS } from '../texts.ts';
import { Combobox, type Found, type OptionAttributes } from './combobox.tsx';
import { Cover } from './cover.tsx';
import { shorten } from './resource-id.tsx';

// How many of each kind are shown.
const SHOWN = 5;

const KINDS = ['projects', 'wallets', 'apps'];

/** A resource name, or its ULID alone. */
const RESOURCE_ID = /^(?:(projects|wallets|apps)\/)?([0-7][0-9A-HJKMNP-TV-Z]{25})$/i;

const REFERENCE = /^[A-Za-z0-9._:-]{1,64}$/;

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** A match, and its link. */
type Hit = {
  /** Identifies it among the others. */
  readonly name: string;
  readonly link: string;
  readonly title: string;
  /** The URL of the cover of a project. */
  readonly cover?: string;
  /** The title of its project. */
  readonly parent?: string;
  readonly detail?: ComponentChildren;
};

/** The field of the bar that finds projects, wallets and apps, and opens the choice. */
export function Search() {
  const viewer = useViewer();
  const field = useRef<HTMLInputElement>(null);
  useSlash(() => field.current?.focus());
  return (
    <search class="search">
      <Combobox
        attributes={{
          ref: field,
          'aria-label': 'Search projects, wallets and apps',
          'aria-keyshortcuts': '/',
          placeholder: 'Title, reference, address or ID ( / )',
        }}
        find={(text) => find(text, viewer)}
        onChoose={({ link }, { ctrlKey, metaKey }) => {
          if (ctrlKey || metaKey) {
            open(link);
            return;
          }
          location.hash = link;
          focusHeading();
        }}
        label="Found"
        draw={drawHit}
      />
    </search>
  );
}

function drawHit({ name, link, title, cover, parent, detail }: Hit, attributes: OptionAttributes) {
  return (
    <a key={name} href={link} {...attributes}>
      <span title={title}>
        {cover && <Cover url={cover} />}
        {title} {parent && <small>in {parent}</small>}
      </span>
      {detail}
    </a>
  );
}

/** Calls a function when the key `/` is pressed where nothing is typed. */
function useSlash(onSlash: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
      if (document.querySelector('dialog') !== null) return;
      event.preventDefault();
      onSlash();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** Finds a resource by its name or id, wallets by address, resources by reference, or titles that start with the text. */
async function find(text: string, viewer: Viewer): Promise<Found<Hit>> {
  // A token has no screen.
  if (/^tokens\//i.test(text) && seesAccount(viewer)) {
    return { groups: [{ choices: [{ name: 'tokens', link: '#/tokens', title: 'Tokens' }] }], message: '' };
  }
  const nothing = `Nothing has the ID ${quoted(text)}.`;
  const [, kind, id = ''] = RESOURCE_ID.exec(text) ?? [];
  if (id) {
    const names = (kind ? [kind.toLowerCase()] : KINDS).map((each) => `${each}/${id.toUpperCase()}`);
    const { nodes } = await request(SearchNamesDocument, { names });
    const choices = nodes.flatMap((node) => nodeOf({ node }) ?? []).map(hitOf);
    // A title can begin like an ID.
    if (kind || choices.length > 0) return resultOf([{ choices }], nothing);
  }
  if (ADDRESS.test(text)) {
    const { wallets } = await request(SearchAddressDocument, { address: text, first: SHOWN });
    const all = `#/wallets?address=${text}`;
    return resultOf([groupOf('Wallets', wallets, all)], `No wallet has the address ${quoted(text)}.`);
  }
  const isReference = REFERENCE.test(text);
  const found = await request(SearchDocument, { title: text, first: SHOWN, reference: text, isReference });
  const { projects, wallets, apps, project, wallet } = found;
  const referenced = [...(project?.nodes ?? []), ...(wallet?.nodes ?? [])];
  const query = new URLSearchParams({ title: text });
  const groups = [
    // It can be found by its title as well, and each choice has an id.
    {
      heading: 'Reference',
      choices: referenced.map((node) => ({ ...hitOf(node), name: `by-${node.name}` })),
    },
    groupOf('Projects', projects, `#/?${query}`),
    groupOf('Wallets', wallets, `${viewer.onlyProject ? linkTo(viewer.project.name) : '#/wallets'}?${query}`),
    groupOf('Apps', apps),
  ];
  return resultOf(groups, id ? nothing : `No titles start with ${quoted(text)}.`);
}

type Hits = { readonly totalCount: number; readonly nodes: readonly HitFragment[] };

/** @param all the link to the list of all, if there is one */
function groupOf(kind: string, { nodes, totalCount }: Hits, all?: string) {
  const isWhole = totalCount === nodes.length;
  const count = countText(totalCount);
  const more = { name: kind, link: all ?? '', title: `All ${count} ${kind.toLowerCase()}` };
  return {
    heading: isWhole ? `${kind} · ${count}` : `${kind} · ${nodes.length} of ${count}`,
    choices: [...nodes.map(hitOf), ...(isWhole || all === undefined ? [] : [more])],
  };
}

/** Leaves out the groups without a choice. @param nothing what to say if none is left */
function resultOf(groups: Found<Hit>['groups'], nothing: string): Found<Hit> {
  const found = groups.filter(({ choices }) => choices.length > 0);
  return { groups: found, message: found.length === 0 && <Nothing of={nothing} /> };
}

/** The text if nothing is found. */
function Nothing({ of }: { of: string }) {
  return (
    <>
      <strong>{of}</strong> {TEXTS.searchHint}
    </>
  );
}

function hitOf(node: HitFragment): Hit {
  const { name, title } = node;
  const hit = { name, title, link: linkTo(name) };
  if ('imageCoverUrl' in node) return { ...hit, cover: node.imageCoverUrl };
  if ('address' in node)
    return { ...hit, parent: node.project.title, detail: <code>{shorten(node.address)}</code> };
  if ('active' in node)
    return { ...hit, parent: node.project.title, detail: !node.active && <span class="mark">Inactive</span> };
  return hit;
}
