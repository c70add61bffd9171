import { forgetToken, keepToken, keptToken, shareToken, tellTabsToForget } from '../kept-token.ts';
import type { ViewerQuery } from './generated/documents.ts';
import { Observable, useObservable } from './observable.ts';
import { isNavigationBlocked, route, whenNavigationAllowed } from './router.ts';
import { TEXTS } from './texts.ts';

/** The token of a request, as `Query.viewer` describes it. */
export type Viewer = ViewerQuery['viewer'];

/** A token that the gateway has accepted. It is kept for the tab, unless the user wants it in memory only. */
export type Session = { readonly token: string; readonly viewer: Viewer };

type SessionState = {
  readonly session?: Session;
  /** Why a token must be entered. With a session, the screen stays until then. */
  readonly reason?: string;
  /** A token to try: from the address, or a kept one. With a session, the screen stays until then. */
  readonly offered?: string;
  /** Whether the user keeps the token for this tab. */
  readonly isKept?: boolean;
};

export const sessionState = new Observable<SessionState>({});

/**
 * Reads `#token=…`, and removes it from the address and the history immediately. Without it, offers the kept token. While
 * a dialog is open, the token is ignored, because the dialog may show a private key or a filled form. The dialog that
 * asks for a token uses it.
 */
export function suggestToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
  if (token !== undefined) history.replaceState(null, '', `#${route.value.address}`);
  const { session, reason } = sessionState.value;
  if (token !== undefined && isNavigationBlocked() && reason === undefined) return;
  const offered = token ?? (session ? undefined : keptToken());
  if (offered !== undefined) sessionState.set({ ...sessionState.value, offered });
}

/** Shares the kept token with the tabs that this one opens, and leaves the session when another tab forgets its token. */
export function joinTabs(): void {
  shareToken(() => {
    const { session } = sessionState.value;
    // An open dialog can show a private key or a filled form. It can also ask for a token, which begins another session.
    whenNavigationAllowed(() => {
      if (session && session === sessionState.value.session) leaveSession(TEXTS.tokenRemoved);
    });
  });
}

/** Forgets the token in all tabs. */
export function forgetEverywhere(): void {
  tellTabsToForget();
  leaveSession();
}

/** Leaves the offered token unused. @param session the one that continues */
export function refuseSuggestion(session: Session): void {
  const { offered: _, ...state } = sessionState.value;
  sessionState.set({ ...state, session });
}

/** Begins with a token, or continues with it. @param isKept whether to keep it for this tab */
export function beginSession(session: Session, isKept: boolean): void {
  const before = sessionState.value.session;
  if (before && principalOf(before.viewer) !== principalOf(session.viewer)) leaveSession();
  if (isKept) keepToken(session.token);
  else forgetToken();
  sessionState.set({ session, isKept });
}

/** Asks for another token, because `token` was refused. The screen stays. */
export function refuseToken(token: string): void {
  if (token === keptToken()) forgetToken();
  const { session, isKept = true } = sessionState.value;
  const reason = 'Your token is no longer valid. It expired or was revoked, or its account is suspended.';
  if (session?.token === token) sessionState.set({ session, reason, isKept });
}

/** Ends the session, and clears the screen. */
export function leaveSession(reason?: string): void {
  forgetToken();
  // The next token may have no access to this screen.
  location.hash = '#/';
  sessionState.set(reason === undefined ? {} : { reason });
}

/** Identifies the principal of a token. Another token of the same principal can continue. */
export function principalOf({ level, account, onlyProject, project, app }: Viewer): string {
  return [level, account, onlyProject && project.name, app?.name].join(' ');
}

/** Returns the viewer. Must be called below a session only. */
export function useViewer(): Viewer {
  const { session } = useObservable(sessionState);
  if (session === undefined) throw new Error('There is no session.');
  return session.viewer;
}

/** Returns whether the viewer can create and change apps. */
export function mayChangeApps({ level, readOnly }: Viewer): boolean {
  return level === 'ACCOUNT' && !readOnly;
}

/** Returns whether the viewer can create projects, and revoke any token of the account. */
export function mayChangeAccount(viewer: Viewer): boolean {
  return seesAccount(viewer) && !viewer.readOnly;
}

/** Returns whether the viewer can create tokens. */
export function mayCreateTokens(viewer: Viewer): boolean {
  return mayChangeAccount(viewer) && viewer.maker === null;
}

/** Returns whether the viewer can read the tokens and the events of the account. */
export function seesAccount({ level, onlyProject }: Viewer): boolean {
  return level === 'ACCOUNT' && !onlyProject;
}
