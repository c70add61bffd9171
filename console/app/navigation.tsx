import { useEffect, useRef, useState } from 'preact/hooks';
import { FormDialog } from './controls/form.tsx';
import { Search } from './controls/search.tsx';
import { distance, NEAR_MS, Time, useTimeLeft } from './controls/time.tsx';
import { useObservable } from './observable.ts';
import { revoke } from './request.ts';
import { linkTo, route } from './router.ts';
import {
  forgetEverywhere,
  leaveSession,
  principalOf,
  seesAccount,
  sessionState,
  type Viewer,
} from './session.ts';

const LEVELS = { ACCOUNT: 'Account token', PROJECT: 'Project token' };

/** The links of the console in the bar of the page. */
export function Links() {
  const { session } = useObservable(sessionState);
  const { address, path } = useObservable(route);
  const [kind = ''] = path;
  // On a phone, they are in a menu.
  useEffect(() => document.querySelector<HTMLElement>('#pages')?.hidePopover(), [address]);
  if (!session) {
    return (
      <a href="#/" aria-current="page">
        Console
      </a>
    );
  }
  const { viewer } = session;
  const home = viewer.onlyProject ? linkTo(viewer.project.name) : '#/';
  const current = ['tokens', 'events'].includes(kind) ? `#/${kind}` : home;
  const links = {
    [home]: viewer.onlyProject ? 'Project' : 'Projects',
    ...(seesAccount(viewer) && { '#/tokens': 'Tokens', '#/events': 'Events' }),
  };
  return (
    <>
      {Object.entries(links).map(([path, text]) => (
        <a key={path} href={path} aria-current={path === current ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </>
  );
}

/** The search, and the menu of the session, in the bar of the page. */
export function Controls() {
  const { session } = useObservable(sessionState);
  if (!session) return null;
  return (
    <div key={principalOf(session.viewer)} class="session">
      <Search />
      <SessionMenu viewer={session.viewer} />
    </div>
  );
}

/** The token of the session, and what can be done with it. */
function SessionMenu({ viewer }: { viewer: Viewer }) {
  const { address } = useObservable(route);
  const left = useTimeLeft(viewer.expireTime);
  const menu = useRef<HTMLDivElement>(null);
  const [isEnding, setIsEnding] = useState(false);
  const hide = () => menu.current?.hidePopover();
  useEffect(hide, [address]);
  return (
    <>
      {left < NEAR_MS && <span class="mark warning">Ends {distance(Math.max(left, 0))}</span>}
      <button type="button" class="opener" popovertarget="session">
        <span>{viewer.title || viewer.app?.title || LEVELS[viewer.level]}</span>
      </button>
      <div id="session" ref={menu} class="menu" popover="auto">
        <Identity viewer={viewer} />
        <p class="muted">
          Ends <Time value={viewer.expireTime} />
        </p>
        <button type="button" onClick={forgetEverywhere}>
          Forget <small>In all tabs. The token stays valid.</small>
        </button>
        <button
          type="button"
          class="ends"
          onClick={() => {
            // The focus is then on the button of the menu, to which it returns after the dialog.
            hide();
            setIsEnding(true);
          }}
        >
          End the token
        </button>
      </div>
      {isEnding && <EndToken onClose={() => setIsEnding(false)} />}
    </>
  );
}

/** Says when the account token of the session ends, if that is near, and who can create another one. */
export function NearEnd({ viewer: { level, maker, expireTime } }: { viewer: Viewer }) {
  const left = useTimeLeft(expireTime);
  if (level !== 'ACCOUNT' || left >= NEAR_MS) return null;
  // The tokens that a token creates end with it.
  const source = maker ? 'Create another one with the token that has created it, or ask' : 'Ask';
  return (
    <p class="reason">
      This token ends {distance(Math.max(left, 0))}, on <Time value={expireTime} isExact />. {source} the
      operator for one that ends later.
    </p>
  );
}

/** What a token is: its level, its title, its limits and its account. */
export function Identity({ viewer }: { viewer: Viewer }) {
  const { level, title, account, app, project, readOnly, onlyProject } = viewer;
  const limit = onlyProject && level === 'ACCOUNT' && `Only ${project.title}`;
  return (
    <p class="identity">
      <strong>{LEVELS[level]}</strong>
      {[title || app?.title, limit].map((text) => text && <span title={text}>{text}</span>)}
      {readOnly && <span class="mark">Read-only</span>}
      <code>{account}</code>
    </p>
  );
}

function EndToken({ onClose }: { onClose: () => void }) {
  const end = async () => {
    await revoke(sessionState.value.session?.token ?? '');
    leaveSession('The token has ended.');
  };
  return (
    <FormDialog
      title="End the token?"
      action="End the token"
      busy="Ending…"
      isDangerous
      onSubmit={end}
      onClose={onClose}
    >
      <p>
        It ends at once and for ever, wherever it is used, with the tokens that it has created. “Forget”
        removes it from the tabs only.
      </p>
    </FormDialog>
  );
}
