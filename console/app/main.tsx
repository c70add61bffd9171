import '../../src/pages/static/content.css';
import '../../src/pages/static/search.css';
import './console.css';
import { Fragment, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Dialog } from './controls/dialog.tsx';
import { Controls, Links, NearEnd } from './navigation.tsx';
import { useObservable } from './observable.ts';
import { container, controlsInBar, linksInBar } from './page-elements.ts';
import { linkTo, readRoute, route } from './router.ts';
import { NotFound } from './screen.tsx';
import { App as AppScreen } from './screens/apps.tsx';
import { Events } from './screens/events.tsx';
import { Project } from './screens/project.tsx';
import { Projects } from './screens/projects.tsx';
import { SignIn, SignInForm } from './screens/sign-in.tsx';
import { Tokens } from './screens/tokens.tsx';
import { FoundWallets, Wallet } from './screens/wallets.tsx';
import {
  joinTabs,
  leaveSession,
  principalOf,
  refuseSuggestion,
  seesAccount,
  sessionState,
  suggestToken,
  useViewer,
} from './session.ts';
import { TEXTS } from './texts.ts';

function App() {
  const { session, reason, offered } = useObservable(sessionState);
  if (session === undefined) return <SignIn />;
  const stay = () => refuseSuggestion(session);
  return (
    <Fragment key={principalOf(session.viewer)}>
      <NearEnd viewer={session.viewer} />
      <Screens />
      {reason !== undefined && (
        <Dialog title="Enter a token to continue">
          <p>
            {TEXTS.keepPlace[0]}
            <code>{session.viewer.account}</code>
            {TEXTS.keepPlace[1]}
          </p>
          <SignInForm cancel="Leave the page" onCancel={() => leaveSession(reason)} />
        </Dialog>
      )}
      {reason === undefined && offered !== undefined && (
        <Dialog title="Use the token of the link?" onClose={stay}>
          <SignInForm cancel="Stay" onCancel={stay} />
        </Dialog>
      )}
    </Fragment>
  );
}

/** The screen of the address. The tabs of a project are one screen. */
function Screens() {
  const { path, query } = useObservable(route);
  const viewer = useViewer();
  const [kind, id = '', tab] = path;
  const name = `${kind}/${id}`;
  const isAlone = path.length === 1;
  // A token of one project has no list of projects to choose from.
  useEffect(() => {
    if (path.length === 0 && viewer.onlyProject) location.replace(linkTo(viewer.project.name));
  });
  if (path.length === 0) return viewer.onlyProject ? null : <Projects />;
  if (kind === 'projects' && path.length < 4) return <Project key={name} name={name} tab={tab} />;
  if (kind === 'wallets' && isAlone) return <FoundWallets query={query} />;
  if (kind === 'wallets' && path.length === 2) return <Wallet key={name} name={name} />;
  if (kind === 'apps' && path.length === 2) return <AppScreen key={name} name={name} />;
  if (kind === 'tokens' && isAlone && seesAccount(viewer)) return <Tokens />;
  if (kind === 'events' && isAlone && seesAccount(viewer)) return <Events />;
  return <NotFound kind="Page" />;
}

function readAddress(): void {
  suggestToken();
  readRoute();
}

const roots = [
  [<App />, container],
  [<Links />, linksInBar],
  [<Controls />, controlsInBar],
] as const;
readAddress();
addEventListener('hashchange', readAddress);
joinTabs();
for (const [root, element] of roots) {
  element.replaceChildren();
  render(root, element);
}
