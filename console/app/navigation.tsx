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
import { TEXTS } from './texts.ts';

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

/** The token of the session, and its actions. */
function SessionMenu({ viewer }: { viewer: Viewer }) {
  const { address } = useObservable(route);
  const left = useTimeLeft(viewer.expireTime);
  const menu = useRef<HTMLDivElement>(null);
  const [isRevoking, setIsRevoking] = useState(false);
  const hide = () => menu.current?.hidePopover();
  useEffect(hide, [address]);
  return (
    <>
      {left < NEAR_MS && <span class="mark warning">Expires {distance(Math.max(left, 0))}</span>}
      <button type="button" class="opener" popovertarget="session">
        <span>{viewer.title || viewer.app?.title || LEVELS[viewer.level]}</span>
      </button>
      <div id="session" ref={menu} class="menu" popover="auto">
        <Identity viewer={viewer} />
        <p class="muted">
          Expires <Time value={viewer.expireTime} />
        </p>
        <button type="button" onClick={forgetEverywhere}>
          {TEXTS.forget} <small>Removes the token from all tabs. It stays valid.</small>
        </button>
        <button
          type="button"
          class="ends"
          onClick={() => {
            // The focus is then on the button of the menu, to which it returns after the dialog.
            hide();
            setIsRevoking(true);
          }}
        >
          {TEXTS.revokeToken}
        </button>
      </div>
      {isRevoking && <RevokeToken onClose={() => setIsRevoking(false)} />}
    </>
  );
}

/** Says when the account token of the session expires, if that is near, and who can create a new one. */
export function NearEnd({ viewer: { level, maker, expireTime } }: { viewer: Viewer }) {
  const left = useTimeLeft(expireTime);
  if (level !== 'ACCOUNT' || left >= NEAR_MS) return null;
  // A token expires with the token that has created it.
  const source = maker ? 'Create a new one with the token that created it, or ask' : 'Ask';
  return (
    <p class="reason">
      {TEXTS.tokenExpires} {distance(Math.max(left, 0))}, on <Time value={expireTime} isExact />. {source} the
      operator for a new one.
    </p>
  );
}

/** A token in words: its level, its title, its limits and its account. */
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

function RevokeToken({ onClose }: { onClose: () => void }) {
  const end = async () => {
    await revoke(sessionState.value.session?.token ?? '');
    leaveSession(TEXTS.tokenRevoked);
  };
  return (
    <FormDialog action={TEXTS.revokeToken} busy="Revoking…" isDangerous onSubmit={end} onClose={onClose}>
      <p>
        The token, and every token created with it, stops working immediately and everywhere. This can’t be
        undone. To keep it valid, choose “{TEXTS.forget}” instead.
      </p>
    </FormDialog>
  );
}
