import '../content.css';
import './console.css';
import { Fragment, render } from 'preact';
import { useRef } from 'preact/hooks';
import { Bar } from './bar.tsx';
import { Dialog } from './dialog.tsx';
import { container } from './mount.ts';
import { readRoute, route } from './router.ts';
import { Screen } from './screen.tsx';
import { Enter, EnterForm } from './screens/enter.tsx';
import { Events } from './screens/events.tsx';
import { Project } from './screens/project.tsx';
import { Projects } from './screens/projects.tsx';
import { Tokens } from './screens/tokens.tsx';
import {
  leaveSession,
  offerToken,
  principalOf,
  refuseOffer,
  seesAccount,
  sessionState,
  useViewer,
  type Viewer,
} from './session.ts';
import { useStore } from './store.ts';

function App() {
  const { session, reason, offered } = useStore(sessionState);
  if (session === undefined) return <Enter />;
  const stay = () => refuseOffer(session);
  return (
    <Fragment key={principalOf(session.viewer)}>
      <Bar />
      <Screens />
      {reason !== undefined && (
        <Dialog title="Enter a token to continue">
          <p>
            With another token of <code>{session.viewer.account}</code>, what is on this page stays.
          </p>
          <EnterForm cancel="Leave the page" onCancel={() => leaveSession(reason)} />
        </Dialog>
      )}
      {reason === undefined && offered !== undefined && (
        <Dialog title="Use the token of the link?" onClose={stay}>
          <EnterForm cancel="Stay" onCancel={stay} />
        </Dialog>
      )}
    </Fragment>
  );
}

function Screens() {
  const path = useStore(route);
  const viewer = useViewer();
  const wereProjectsShown = useRef(false);
  wereProjectsShown.current ||= path === '/';
  return (
    <>
      {wereProjectsShown.current && <Projects isShown={path === '/'} />}
      {path !== '/' && <Fragment key={path}>{screenOf(path, viewer)}</Fragment>}
    </>
  );
}

function screenOf(path: string, viewer: Viewer) {
  if (path === '/tokens' && seesAccount(viewer)) return <Tokens />;
  if (path === '/events' && seesAccount(viewer)) return <Events />;
  if (path.startsWith('/projects/')) return <Project name={path.slice(1)} />;
  return (
    <Screen title="Page not found">
      <p>
        The console has no page <code>{path}</code>. <a href="#/">Show the projects</a>
      </p>
    </Screen>
  );
}

function readAddress(): void {
  offerToken();
  readRoute();
}

container.replaceChildren();
// The screens do it, when they have their content.
history.scrollRestoration = 'manual';
readAddress();
addEventListener('hashchange', readAddress);
render(<App />, container);
